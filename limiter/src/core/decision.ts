import type { ParsedCheck } from './check.ts';
import { delayMs } from './delay.ts';
import type { Reading } from './engine.ts';
import {
  AnsweredGrounds,
  type Basis,
  type DecisionFacts,
  type Grounds,
  type ShownLimit,
  type ShutOut,
} from './grounds.ts';
import { entityOf, levelOf, type Level } from './level.ts';
import type { Limit, Mode } from './limit.ts';
import { listOf } from './list.ts';
import { Lone } from './lone.ts';
import { refusalMessage } from './message.ts';

export type { Basis, DecisionFacts, ShownLimit, ShutOut } from './grounds.ts';
export type Reason = 'exceeded' | 'impossible' | 'penalty' | 'blocked' | 'unavailable';

export type BlockedBy = {
  /** Null when no limit refused: the caller is shut out, or no limit was asked. */
  readonly limit: string | null;
  readonly per: readonly string[];
  readonly level: Level;
  readonly entity: string | null;
  readonly reason: Reason;
};

export type LimitDecision = {
  readonly name: string;
  readonly algorithm: Limit['numbers']['algorithm'];
  readonly unit: string;
  readonly cost: number;
  readonly limit: number;
  readonly baseLimit: number;
  readonly used: number;
  readonly remaining: number;
  readonly overrideId: string | null;
  /** Unix seconds. */
  readonly resetAt: number;
  readonly retryAfterMs: number | null;
  readonly allowed: boolean;
  readonly mode: Mode;
};

/**
 * The answer. Frozen; it can be destructured, printed and turned into JSON like a plain object.
 * What it shows is computed on demand, for most callers read two of its fields.
 */
export class Decision {
  readonly #grounds: Grounds;
  #limits: readonly LimitDecision[] | undefined;
  #blockedBy: BlockedBy | null | undefined;

  constructor(from: DecisionFacts | Lone) {
    this.#grounds = from instanceof Lone ? from : new AnsweredGrounds(from);
    Object.freeze(this);
  }

  /** For whoever must undo a decision; not part of what it says. */
  static factsOf(decision: Decision): DecisionFacts {
    return decision.#grounds.facts;
  }

  /** Every limit with what it shows, in the question's order; none when the store failed. */
  static viewsOf(decision: Decision): readonly ShownLimit[] {
    return decision.#grounds.views;
  }

  /** The limit shown: the one that refused, else the strictest. */
  static shownOf(decision: Decision): ShownLimit | null {
    return decision.#grounds.shown;
  }

  /** When it was made, by the clock of whoever made it. */
  static nowUsOf(decision: Decision): number {
    return decision.#grounds.nowUs;
  }

  get allowed(): boolean {
    return this.#grounds.allowed;
  }

  /** Of the limit shown: the one that refused, else the strictest. Null when none applies. */
  get limit(): number | null {
    return this.#grounds.shown?.bound.limit.size ?? null;
  }

  get remaining(): number | null {
    return this.#grounds.shown?.view.remaining ?? null;
  }

  /** Unix seconds at which the full allowance is back if nobody calls. */
  get resetAt(): number | null {
    const shown = this.#grounds.shown;
    return shown ? seconds(shown.view.resetAtUs) : null;
  }

  /** Waiting this long succeeds if nobody else comes. 0 when allowed, null when it never will. */
  get retryAfterMs(): number | null {
    if (this.#grounds.allowed) return 0;
    const { answer, shutOut } = this.#grounds.facts;
    if (shutOut) return shutOutMs(shutOut, answer.nowUs);
    const shown = this.#grounds.shown;
    if (!shown) return unavailableRetryMs;
    return milliseconds(shown.view.retryAfterUs);
  }

  get message(): string {
    const { blockedBy } = this;
    if (this.#grounds.allowed || !blockedBy) return 'Allowed.';
    const limit = this.#grounds.shown?.bound.limit ?? null;
    return refusalMessage({ blockedBy, retryAfterMs: this.retryAfterMs, limit });
  }

  get decisionId(): string {
    return this.#grounds.replayOf ?? this.#grounds.facts.question.id;
  }

  get basis(): Basis {
    return this.#grounds.facts.basis;
  }

  get degradedReason(): string | null {
    return this.#grounds.facts.degradedReason;
  }

  get mode(): Mode | null {
    return this.#grounds.shown?.bound.limit.mode ?? null;
  }

  /** How long the caller had better wait before it goes on: nobody is held up here. */
  get delayMs(): number {
    return this.#grounds.allowed ? adviceMs(this.#grounds) : 0;
  }

  get replayed(): boolean {
    return this.#grounds.replayOf !== null;
  }

  get cost(): number {
    return this.#grounds.facts.check.cost;
  }

  get costs(): Readonly<Record<string, number>> {
    return Object.freeze({ ...this.#grounds.facts.check.costs });
  }

  get blockedBy(): BlockedBy | null {
    if (this.#grounds.allowed) return null;
    return (this.#blockedBy ??= this.#findBlocker());
  }

  #findBlocker(): BlockedBy | null {
    const { check, question, shutOut } = this.#grounds.facts;
    if (shutOut) {
      const { level, entity } = shutOut;
      return Object.freeze({ limit: null, per: [], level, entity, reason: 'blocked' });
    }
    const shown = this.#grounds.shown;
    const bound = shown?.bound ?? question.limits.find(({ limit }) => limit.enforced);
    if (!bound) return nobodyAsked(check);
    const { limit } = bound;
    const { name: level } = levelOf(limit);
    const reason = shown ? (shown.reading.verdict as Reason) : 'unavailable';
    const entity = entityOf(limit, check);
    return Object.freeze({ limit: limit.name, per: limit.per, level, entity, reason });
  }

  /** The warn and shadow limits that would have refused. */
  get wouldBlock(): readonly string[] {
    const { question, answer } = this.#grounds.facts;
    const names = question.limits
      .filter(({ limit }, at) => !limit.enforced && refuses(answer.readings[at]))
      .map(({ limit }) => limit.name);
    return Object.freeze(names);
  }

  get adaptive(): { readonly factor: number; readonly reason: string | null } {
    return notAdaptive;
  }

  get ticket(): string | null {
    return this.#grounds.ticket;
  }

  get reservation(): { readonly id: string; readonly expiresAt: number } | null {
    const { reservation } = this.#grounds;
    if (!reservation) return null;
    return Object.freeze({
      id: reservation.id,
      expiresAt: Math.floor(reservation.expiresAtUs / 1_000_000),
    });
  }

  get limits(): readonly LimitDecision[] {
    return (this.#limits ??= Object.freeze(limitDecisions(this.#grounds.views)));
  }

  toJSON(): Record<string, unknown> {
    return Object.fromEntries(fields.map((field) => [field, this[field]]));
  }

  [Symbol.for('nodejs.util.inspect.custom')](): Record<string, unknown> {
    return this.toJSON();
  }
}

/** No limit was looked at: the refusal is the tenant's. */
function nobodyAsked({ tenant }: ParsedCheck): BlockedBy {
  return Object.freeze({
    limit: null,
    per: [],
    level: 'tenant',
    entity: tenant,
    reason: 'unavailable',
  });
}

const notAdaptive = Object.freeze({ factor: 1, reason: null });
const unavailableRetryMs = 1000;
const lookAgainMs = 3_600_000;

/** Without an end nobody knows when: once an hour is often enough to look. */
function shutOutMs({ untilUs }: ShutOut, nowUs: number): number {
  return untilUs === null ? lookAgainMs : Math.max(0, untilUs - nowUs) / 1000;
}

/** The longest that an enforced limit asks for. */
function adviceMs(grounds: Grounds): number {
  let longest = 0;
  for (const { bound, view: shown } of grounds.views) {
    const { limit } = bound;
    if (!limit.backpressure || !limit.enforced) continue;
    const { id } = grounds.facts.question;
    longest = Math.max(longest, delayMs(limit, limit.backpressure, shown, id));
  }
  return longest;
}

const fields = [
  'allowed',
  'limit',
  'remaining',
  'resetAt',
  'retryAfterMs',
  'message',
  'decisionId',
  'basis',
  'degradedReason',
  'mode',
  'delayMs',
  'replayed',
  'cost',
  'costs',
  'blockedBy',
  'wouldBlock',
  'adaptive',
  'ticket',
  'reservation',
  'limits',
] as const satisfies readonly (keyof Decision)[];

function refuses(reading: Reading | undefined): boolean {
  return reading !== undefined && reading.verdict !== 'ok';
}

function limitDecisions(views: readonly ShownLimit[]): LimitDecision[] {
  const limits = listOf<LimitDecision>(views.length);
  for (let at = 0; at < limits.length; at += 1) limits[at] = limitDecision(views[at] as ShownLimit);
  return limits;
}

function limitDecision({ bound, reading, view: shown }: ShownLimit): LimitDecision {
  const { limit, cost } = bound;
  return Object.freeze({
    name: limit.name,
    algorithm: limit.numbers.algorithm,
    unit: limit.unit,
    cost,
    limit: limit.size,
    baseLimit: limit.override?.baseSize ?? limit.size,
    used: shown.used,
    remaining: shown.remaining,
    overrideId: limit.override?.id ?? null,
    resetAt: seconds(shown.resetAtUs),
    retryAfterMs: milliseconds(shown.retryAfterUs),
    allowed: reading.verdict === 'ok',
    mode: limit.mode,
  });
}

function seconds(us: number): number {
  return Math.ceil(us / 1_000_000);
}

function milliseconds(us: number | null): number | null {
  return us === null ? null : us / 1000;
}
