import { Decision } from 'sluice/core';
import type { CheckEvent, Outcome } from '../../observe/index.ts';
import type { KeptCheck } from './kept-check.ts';

/**
 * Finds the check that others are counted on, by tenant, subject and kind. Nothing is put together
 * to look one up: it is done for every refusal of a flood, most of which find nothing.
 */
export class KnownChecks {
  readonly #tenants = new Map<string, Map<string, KeptCheck[]>>();

  find({ tenant, subject, decision }: CheckEvent, outcome: Outcome): KeptCheck | undefined {
    const kept = this.#tenants.get(tenant)?.get(subject);
    return kept?.find((one) => one.outcome === outcome && isSameKind(one, decision, outcome));
  }

  add(kept: KeptCheck): void {
    const { tenant, subject } = kept.event;
    let subjects = this.#tenants.get(tenant);
    if (!subjects) this.#tenants.set(tenant, (subjects = new Map()));
    const known = subjects.get(subject);
    if (known) known.push(kept);
    else subjects.set(subject, [kept]);
  }

  forget(tenant: string, subject: string): void {
    this.#tenants.get(tenant)?.delete(subject);
  }
}

function isSameKind({ event }: KeptCheck, decision: Decision, outcome: Outcome): boolean {
  return kindOf(event.decision, outcome) === kindOf(decision, outcome);
}

/** The limit that refused, or those that would have, or what went wrong. */
function kindOf(decision: Decision, outcome: Outcome): string {
  if (outcome === 'blocked') return Decision.shownOf(decision)?.bound.limit.name ?? '';
  if (outcome === 'degraded') return decision.degradedReason ?? '';
  return decision.wouldBlock.join();
}
