import { setTimeout as pause } from 'node:timers/promises';
import { CheckQuestion, refusedUnasked } from 'sluice/core';
import type { Shedder } from '../overload/index.ts';
import { countedAs } from '../snapshot/rules.ts';
import { parsedCheckOf, rulesFor, type CheckInput } from './check-input.ts';
import type { Asker, Checked, Decider, Outcome } from './decider.ts';
import type { Caller } from './identify.ts';
import type { Recorder } from './recorder.ts';

export type SheddingDeciderParts = {
  readonly decider: Pick<Decider, 'admit' | 'check' | 'checks'>;
  readonly shedder: Shedder;
  readonly recorder: Pick<Recorder, 'note'>;
  /** Whether usage is counted. */
  readonly counts: boolean;
};

/** Why a check was refused that nobody was asked about. */
export const overload = 'overload';

/** Refused to keep the service answering: nothing was decided, and nothing is to be said of it. */
export function isShed({ decision }: Checked): boolean {
  return decision.degradedReason === overload;
}

/**
 * What doors ask in place of the decider: as it is while there is room, and when there is too much to
 * do, with some refused before anything is spent on them but to find out who they are.
 */
export class SheddingDecider {
  readonly #parts: SheddingDeciderParts;

  constructor(parts: SheddingDeciderParts) {
    this.#parts = parts;
  }

  async check(asker: Asker, input: CheckInput): Promise<Checked> {
    const { decider, shedder } = this.#parts;
    if (!shedder.isOpen) {
      const admitted = decider.admit(asker);
      const caller = admitted instanceof Promise ? await admitted : admitted;
      if (!this.#isAdmitted(input, caller)) {
        const shed = this.#refuse(input, caller);
        await this.#hold();
        return shed;
      }
    }
    shedder.entered(1);
    try {
      const checked = await decider.check(asker, input);
      shedder.called(checked.snapshot.tier);
      return checked;
    } finally {
      shedder.left(1);
    }
  }

  /** Each of them on its own, as they are decided. */
  async checks(asker: Asker, inputs: readonly CheckInput[]): Promise<readonly Outcome[]> {
    const { decider, shedder } = this.#parts;
    if (shedder.isOpen) return this.#decide(asker, inputs);
    const caller = await decider.admit(asker);
    const admitted = inputs.filter((input) => this.#isAdmitted(input, caller));
    if (admitted.length === inputs.length) return this.#decide(asker, inputs);
    const kept = new Set(admitted);
    const outcomes = admitted.length === 0 ? [] : await this.#decide(asker, admitted);
    if (admitted.length === 0) await this.#hold();
    let next = 0;
    return inputs.map((input) => {
      if (!kept.has(input)) return this.#tryRefuse(input, caller);
      next += 1;
      return outcomes[next - 1] as Outcome;
    });
  }

  async #decide(asker: Asker, inputs: readonly CheckInput[]): Promise<readonly Outcome[]> {
    const { decider, shedder } = this.#parts;
    shedder.entered(inputs.length);
    try {
      const outcomes = await decider.checks(asker, inputs);
      const known = outcomes.find((outcome): outcome is Checked => !(outcome instanceof Error));
      if (known) shedder.called(known.snapshot.tier);
      return outcomes;
    } finally {
      shedder.left(inputs.length);
    }
  }

  #isAdmitted({ subject }: CheckInput, { snapshot: { tier, id } }: Caller): boolean {
    return this.#parts.shedder.admits(tier, id, subject);
  }

  /** Counted as a refusal where calls are counted. */
  #refuse(input: CheckInput, caller: Caller): Checked {
    const { recorder, counts } = this.#parts;
    const { key, snapshot } = caller;
    const resolution = rulesFor(input, caller).resolve(input.resource);
    const by = { tenant: snapshot.tenantName, keyId: key.id };
    const check = parsedCheckOf(input, by, resolution);
    const label = counts ? `${countedAs(resolution.policy)} ` : undefined;
    const question = new CheckQuestion(check, [], { ledgerLabel: label });
    const decision = refusedUnasked(overload, check, question);
    recorder.note(snapshot.ref, question, decision);
    return { decision, input, snapshot, resolution };
  }

  #tryRefuse(input: CheckInput, caller: Caller): Outcome {
    try {
      return this.#refuse(input, caller);
    } catch (error) {
      return error as Error;
    }
  }

  async #hold(): Promise<void> {
    const { shedder } = this.#parts;
    const holdMs = shedder.hold();
    if (holdMs === 0) return;
    try {
      await pause(holdMs);
    } finally {
      shedder.letGo();
    }
  }
}
