import type {
  Answer,
  BoundLimit,
  DecideResult,
  Engine,
  Question,
  Reading,
} from '../../limiter/src/core/engine.ts';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import type { Limit } from '../../limiter/src/core/limit.ts';
import { view } from '../../limiter/src/core/view.ts';
import type { FakeClock } from '../support/fake-clock.ts';
import { limitOf } from '../support/limits.ts';
import { numbersToTry, type Asked, type Drawn, type Step } from './steps.ts';

type Charge = {
  readonly id: string;
  readonly atUs: number;
  readonly limits: BoundLimit[];
  refundedAtUs?: number;
};

/** Beyond this a record may have run out in process while the keys of a test never do. */
const rememberedUs = 3_600_000_000;
const chargeKeptUs = 600_000_000;
const recordTtlMs = 100 * 365 * 86_400_000;

type Both = [unknown, unknown];

/** Two engines on one clock that are asked the same, and must answer the same. */
export class Pair {
  readonly #engines: readonly [Engine, Engine];
  readonly #clock: FakeClock;
  readonly #tenant: { readonly id: string };
  readonly #drawn: readonly Drawn[];
  readonly #limits: Limit[];
  readonly #charges: Charge[] = [];
  readonly #reservations: { readonly id: string; readonly atUs: number }[] = [];
  readonly #tickets: [string, string][] = [];
  #asked = 0;

  constructor(
    engines: readonly [Engine, Engine],
    clock: FakeClock,
    tenantId: string,
    drawn: readonly Drawn[],
  ) {
    this.#engines = engines;
    this.#clock = clock;
    this.#tenant = { id: tenantId };
    this.#drawn = drawn;
    this.#limits = drawn.map((limit, at) => this.#limit(limit, at, 0));
  }

  /** What each of the two says to a step, in words that must be equal. */
  async take(step: Step): Promise<[unknown, unknown]> {
    switch (step.kind) {
      case 'wait':
        this.#clock.advanceUs(step.us);
        return [null, null];
      case 'change': {
        const at = step.limit % this.#limits.length;
        this.#limits[at] = this.#limit(this.#drawn[at] as Drawn, at, step.numbers);
        return [null, null];
      }
      case 'decide':
        return this.#decide(step.questions);
      case 'refund':
        return this.#refund(step);
      case 'refundCharge':
        return this.#refundCharge(step);
      case 'settle': {
        const reservationId = this.#reservation(step.reservation);
        if (reservationId === undefined) return [null, null];
        const costs = { requests: step.cost };
        return this.#both((engine) => engine.settle(this.#tenant, { reservationId, costs }));
      }
      case 'renew': {
        const reservationId = this.#reservation(step.held);
        const tickets = pick(this.#tickets, step.held);
        const { ttlMs } = step;
        if (step.held % 2 === 0 && tickets) {
          return this.#both((engine, at) =>
            engine.heartbeat(this.#tenant, { ticket: tickets[at], ttlMs }),
          );
        }
        if (reservationId === undefined) return [null, null];
        return this.#both((engine) => engine.heartbeat(this.#tenant, { reservationId, ttlMs }));
      }
      case 'release': {
        const tickets = pick(this.#tickets, step.ticket);
        if (!tickets) return [null, null];
        return this.#both((engine, at) => engine.release(this.#tenant, tickets[at]));
      }
      case 'inspect': {
        const limits = this.#limits.map((limit) => boundTo(limit, step.subject, 1));
        const seen = await this.#both((engine) => engine.inspect(this.#tenant, limits));
        return asTold(seen, ({ nowUs, readings }) => toldReadings(limits, readings, nowUs));
      }
      case 'reset': {
        const limit = this.#limits[step.limit % this.#limits.length] as Limit;
        const limits = [boundTo(limit, step.subject, 1)];
        return this.#both((engine) => engine.reset(this.#tenant, limits));
      }
    }
  }

  async #decide(asked: readonly Asked[]): Promise<[unknown, unknown]> {
    const questions = asked.map((one) => this.#question(one));
    const results = await this.#both((engine) =>
      engine.decide({ tenant: this.#tenant, questions }),
    );
    this.#remember(questions, results);
    return asTold(results, (result) =>
      result.kind === 'answered'
        ? result.answers.map((answer, at) => toldAnswer(questions[at] as Question, answer))
        : result.kind,
    );
  }

  #question({ subject, costs, peek, idempotencyKey, reserve, refundable }: Asked): Question {
    this.#asked += 1;
    const limits = this.#limits.flatMap((limit, at) => {
      const cost = costs[at];
      return cost === null || cost === undefined ? [] : [boundTo(limit, subject, peek ? 0 : cost)];
    });
    const isPeek = limits.every(({ cost }) => cost === 0);
    return {
      id: `q${this.#asked}`,
      limits,
      peek: isPeek,
      refundable,
      ...(idempotencyKey !== null && !isPeek
        ? {
            idempotency: {
              scope: String(subject),
              key: String(idempotencyKey),
              fingerprint: `${JSON.stringify(reserve)} ${limits.map((one) => `${one.limit.name} ${one.cost}`).join()}`,
              ttlMs: recordTtlMs,
            },
          }
        : {}),
      ...(reserve && !isPeek ? { reserve } : {}),
    };
  }

  #remember(questions: readonly Question[], [first, second]: [DecideResult, DecideResult]): void {
    if (first.kind !== 'answered' || second.kind !== 'answered') return;
    questions.forEach((question, at) => {
      const answer = first.answers[at];
      const other = second.answers[at];
      if (answer?.kind !== 'decided' || other?.kind !== 'decided' || answer.replayOf) return;
      if (answer.reservation)
        this.#reservations.unshift({ id: answer.reservation.id, atUs: answer.nowUs });
      if (answer.ticket && other.ticket) this.#tickets.unshift([answer.ticket, other.ticket]);
      if (!answer.allowed || question.peek || answer.reservation) return;
      const limits = question.limits.filter((_, index) => answer.readings[index]?.verdict === 'ok');
      this.#charges.unshift({ id: question.id, atUs: answer.nowUs, limits });
    });
  }

  async #refund({ charge, share }: Extract<Step, { kind: 'refund' }>): Promise<[unknown, unknown]> {
    const charged = pick(this.#charges, charge);
    if (!charged) return [null, null];
    const nowUs = this.#clock.nowUs;
    charged.refundedAtUs ??= nowUs;
    if (Math.abs(nowUs - charged.refundedAtUs) > rememberedUs) return [null, null];
    const limits = charged.limits.map((one) => ({
      ...one,
      limit: this.#limits.find(({ name }) => name === one.limit.name) ?? one.limit,
      cost: Math.floor((one.cost * share) / 100),
    }));
    const call = { id: charged.id, chargedAtUs: charged.atUs, limits };
    return this.#both((engine) => engine.refund(this.#tenant, call));
  }

  async #refundCharge({ charge, cost }: Extract<Step, { kind: 'refundCharge' }>) {
    const charged = pick(this.#charges, charge);
    const nowUs = this.#clock.nowUs;
    if (!charged || Math.abs(nowUs - charged.atUs) > chargeKeptUs) return [null, null] as Both;
    charged.refundedAtUs ??= nowUs;
    const costs = cost === null ? null : { requests: cost };
    return this.#both((engine) => engine.refundCharge(this.#tenant, { id: charged.id, costs }));
  }

  #reservation(at: number): string | undefined {
    const found = pick(this.#reservations, at);
    if (!found || Math.abs(this.#clock.nowUs - found.atUs) > rememberedUs) return undefined;
    return found.id;
  }

  #limit({ algorithm, mode, punished, global }: Drawn, at: number, numbers: number): Limit {
    const tried = numbersToTry[algorithm];
    return limitOf({
      ...tried[numbers % tried.length],
      algorithm,
      // Other schedules have limits for all tenants too.
      name: `limit-${at}-${this.#tenant.id}`,
      mode,
      ...(punished ? { blockFor: '5 s', blockGrowth: 1.5, blockMax: '1 min' } : {}),
      ...(global && algorithm !== 'concurrency' ? { per: ['global', 'attributes.who'] } : {}),
    } as LimitInput);
  }

  async #both<T>(ask: (engine: Engine, at: 0 | 1) => Promise<T>): Promise<[T, T]> {
    return [await ask(this.#engines[0], 0), await ask(this.#engines[1], 1)];
  }
}

function boundTo(limit: Limit, subject: number, cost: number): BoundLimit {
  return { limit, parts: [`subject-${subject % 3}`], cost };
}

function pick<T>(from: readonly T[], at: number): T | undefined {
  return from.length === 0 ? undefined : from[at % from.length];
}

function asTold<T>([first, second]: [T, T], tell: (value: T) => unknown): [unknown, unknown] {
  return [tell(first), tell(second)];
}

function toldAnswer({ limits }: Question, answer: Answer): unknown {
  if (answer.kind === 'conflict') return 'conflict';
  const { allowed, nowUs, readings, replayOf, reservation, degraded, ticket } = answer;
  const told = toldReadings(limits, readings, nowUs);
  return { allowed, nowUs, replayOf, reservation, degraded, ticket: ticket !== null, told };
}

/** What is only an upper bound while something is held is told as that it is there. */
function toldReadings(limits: readonly BoundLimit[], readings: readonly Reading[], nowUs: number) {
  return readings.map((reading, at) => {
    const { verdict, held, blockedUntilUs } = reading;
    const shown = view(limits[at] as BoundLimit, reading, nowUs);
    const retryAfterUs = held > 0 && shown.retryAfterUs ? 'bound' : shown.retryAfterUs;
    return { verdict, held, blockedUntilUs, ...shown, retryAfterUs };
  });
}
