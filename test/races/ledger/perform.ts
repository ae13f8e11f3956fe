import type { BoundLimit, Engine, Question } from '../../../limiter/src/core/engine.ts';
import type { Limit } from '../../../limiter/src/core/limit.ts';
import { answerTo, raceTenant, wholeText } from '../asking.ts';
import type { Asked, Attempt, Outcome, UnitCosts } from './journal.ts';
import { partsOf } from './limits.ts';

/** With all that was told, for questions. */
export type Performed = { readonly outcome: Outcome; readonly told: string | null };

export class Performer {
  readonly engine: Engine;
  readonly #limits: readonly Limit[];

  constructor(engine: Engine, limits: readonly Limit[]) {
    this.engine = engine;
    this.#limits = limits;
  }

  /** `first` is what the question was told before, when it is a repeated one. */
  async perform(attempt: Attempt, first: string | null = null): Promise<Performed> {
    switch (attempt.kind) {
      case 'ask':
      case 'clash':
        return this.#ask(attempt, first);
      case 'settle':
        return plain(await this.#settle(attempt.id, attempt.costs));
      case 'refund':
        return plain({ kind: await this.#refund(attempt) });
      case 'beat': {
        const beat =
          attempt.ttlMs === null
            ? { reservationId: attempt.id }
            : { reservationId: attempt.id, ttlMs: attempt.ttlMs };
        const { kind } = await this.engine.heartbeat(raceTenant, beat);
        return plain({ kind });
      }
    }
  }

  async #ask({ kind, asked }: Extract<Attempt, { asked: Asked }>, first: string | null) {
    const answer = await answerTo(
      this.engine,
      raceTenant.id,
      this.#question(asked, kind === 'clash' ? 'another question' : 'the question'),
    );
    if (answer.kind === 'conflict') return plain({ kind: 'conflict' });
    const { allowed, replayOf, nowUs } = answer;
    const told = allowed ? wholeText(answer, asked.id) : null;
    const id = replayOf ?? asked.id;
    const alike = first === null || told === first;
    return { outcome: { kind: 'answered', allowed, id, atUs: nowUs, alike }, told } as const;
  }

  #question(asked: Asked, about: string): Question {
    const { id, key, reserve, refundable } = asked;
    return {
      id,
      limits: this.bound(asked, asked.costs),
      peek: false,
      refundable,
      ...(reserve && { reserve }),
      ...(key !== null && {
        idempotency: { scope: 'ledger', key, fingerprint: about, ttlMs: 3_600_000 },
      }),
    };
  }

  bound({ limits, subject }: Asked, costs: UnitCosts): BoundLimit[] {
    return limits.map((at) => {
      const limit = this.#limits[at] as Limit;
      return { limit, parts: partsOf(subject)[at] ?? [], cost: costs[limit.unit] ?? 0 };
    });
  }

  async #settle(reservationId: string, costs: UnitCosts): Promise<Outcome> {
    const result = await this.engine.settle(raceTenant, { reservationId, costs });
    if (result.kind === 'unknown') return { kind: 'unknown' };
    return { kind: result.kind, late: result.late, costs: { ...result.costs } };
  }

  async #refund({ by, asked, chargedAtUs, costs }: Extract<Attempt, { kind: 'refund' }>) {
    const { id } = asked;
    if (by === 'id') {
      const { kind } = await this.engine.refundCharge(raceTenant, { id, costs });
      return kind === 'repeated' ? 'refunded before' : kind;
    }
    const limits = this.bound(asked, costs);
    const refunded = await this.engine.refund(raceTenant, { id, chargedAtUs, limits });
    return refunded ? 'refunded' : 'refunded before';
  }
}

function plain(outcome: Outcome): Performed {
  return { outcome, told: null };
}
