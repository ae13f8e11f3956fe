import type { Audit } from './audit.ts';
import type { Asked, Attempt } from './journal.ts';
import type { Performer } from './perform.ts';

const nothing = { requests: 0, tokens: 0 };

/** Asks what became of the steps that were under way when their process died. */
export async function resolveSteps(audit: Audit, performer: Performer): Promise<number> {
  const resolved = audit.unresolved.length;
  for (const attempt of audit.unresolved) await resolveStep(audit, performer, attempt);
  return resolved;
}

async function resolveStep(audit: Audit, performer: Performer, attempt: Attempt): Promise<void> {
  switch (attempt.kind) {
    case 'ask':
      if (attempt.asked.key !== null) return askAgain(audit, performer, attempt.asked);
      return attempt.asked.reserve
        ? settleUnheard(audit, performer, attempt.asked)
        : refundUnheard(audit, performer, attempt.asked);
    case 'settle':
    case 'refund':
      return audit.note(attempt, (await performer.perform(attempt)).outcome);
    // Neither changes what is used in the end.
    case 'clash':
    case 'beat':
      return;
  }
}

/** Under its key: this is its answer, or it never arrived and is charged now or refused. */
async function askAgain(audit: Audit, performer: Performer, unheard: Asked): Promise<void> {
  const asked = { ...unheard, id: `${unheard.id}-again` };
  const attempt = { kind: 'ask', asked } as const;
  const { outcome } = await performer.perform(attempt);
  audit.note(attempt, outcome);
  if (!asked.reserve || !audit.has(asked.id)) return;
  const settlement = { kind: 'settle', id: asked.id, costs: nothing } as const;
  audit.note(settlement, (await performer.perform(settlement)).outcome);
}

async function settleUnheard(audit: Audit, performer: Performer, asked: Asked): Promise<void> {
  const settlement = { kind: 'settle', id: asked.id, costs: nothing } as const;
  const { outcome } = await performer.perform(settlement);
  if (outcome.kind === 'unknown') return audit.noteNothing();
  noteCharged(audit, asked);
  audit.note(settlement, outcome);
}

async function refundUnheard(audit: Audit, performer: Performer, asked: Asked): Promise<void> {
  const all = { kind: 'refund', asked, by: 'id', chargedAtUs: 0, costs: asked.costs } as const;
  const { outcome } = await performer.perform(all);
  if (outcome.kind === 'unknown') return audit.noteNothing();
  noteCharged(audit, asked);
  audit.note(all, outcome);
}

function noteCharged(audit: Audit, asked: Asked): void {
  const { id } = asked;
  audit.note({ kind: 'ask', asked }, { kind: 'answered', allowed: true, id, atUs: 0, alike: true });
}
