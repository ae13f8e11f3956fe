import { levelOf, type Level } from './level.ts';
import type { BoundLimit, Decided, Question, Reading } from './engine.ts';
import type { ParsedCheck } from './check.ts';
import { valueOf } from './check.ts';
import type { Limit, Mode } from './limit.ts';
import { delayMs } from './delay.ts';
import { refusalMessage } from './message.ts';
import { view, type LimitView } from './view.ts';

/** How we know, from surest to least. */
export type Basis = 'exact' | 'local' | 'fail_open' | 'fail_closed';
export type Reason = 'exceeded' | 'impossible' | 'penalty' | 'blocked' | 'unavailable';

export type BlockedBy = {
  /** Null when no limit refused: the caller is shut out. */
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

/** A limit, what the engine saw of it, and what is shown of that. */
export type ShownLimit = {
  readonly bound: BoundLimit;
  readonly reading: Reading;
  readonly view: LimitView;
};

/** What is known when a question is answered. The rest is computed when somebody reads it. */
export type DecisionFacts = {
  readonly check: ParsedCheck;
  readonly question: Pick<Question, 'id' | 'limits'>;
  readonly answer: Decided;
  readonly basis: Basis;
  readonly degradedReason: string | null;
  /** Somebody shut the caller out: no limit was asked. */
  readonly shutOut?: ShutOut | undefined;
};

export type ShutOut = {
  readonly level: Level;
  readonly entity: string | null;
  /** Null until somebody ends it. */
  readonly untilUs: number | null;
};

/**
 * The answer. Frozen; it can be destructured, printed and turned into JSON like a plain object.
 * What it shows is computed on demand, for most callers read two of its fields.
 */
export class Decision {
  readonly #facts: DecisionFacts;
  #views: readonly ShownLimit[] | undefined;
  #shown: ShownLimit | null | undefined;
  #limits: readonly LimitDecision[] | undefined;

  constructor(facts: DecisionFacts) {
    this.#facts = facts;
    Object.freeze(this);
  }

  /** For whoever must undo a decision; not part of what it says. */
  static factsOf(decision: Decision): DecisionFacts {
    return decision.#facts;
  }

  /** Every limit with what it shows, in the question's order; none when the store failed. */
  static viewsOf(decision: Decision): readonly ShownLimit[] {
    return decision.#viewAll();
  }

  /** The limit shown: the one that refused, else the strictest. */
  static shownOf(decision: Decision): ShownLimit | null {
    return decision.#show();
  }

  get allowed(): boolean {
    return this.#facts.answer.allowed;
  }

  /** Of the limit shown: the one that refused, else the strictest. Null when none applies. */
  get limit(): number | null {
    return this.#show()?.bound.limit.size ?? null;
  }

  get remaining(): number | null {
    return this.#show()?.view.remaining ?? null;
  }

  /** Unix seconds at which the full allowance is back if nobody calls. */
  get resetAt(): number | null {
    const shown = this.#show();
    return shown ? seconds(shown.view.resetAtUs) : null;
  }

  /** Waiting this long succeeds if nobody else comes. 0 when allowed, null when it never will. */
  get retryAfterMs(): number | null {
    const { answer, shutOut } = this.#facts;
    if (answer.allowed) return 0;
    if (shutOut) return shutOutMs(shutOut, answer.nowUs);
    const shown = this.#show();
    if (!shown) return unavailableRetryMs;
    return milliseconds(shown.view.retryAfterUs);
  }

  get message(): string {
    const { blockedBy } = this;
    if (this.#facts.answer.allowed || !blockedBy) return 'Allowed.';
    const limit = this.#show()?.bound.limit ?? null;
    return refusalMessage({ blockedBy, retryAfterMs: this.retryAfterMs, limit });
  }

  get decisionId(): string {
    return this.#facts.answer.replayOf ?? this.#facts.question.id;
  }

  get basis(): Basis {
    return this.#facts.basis;
  }

  get degradedReason(): string | null {
    return this.#facts.degradedReason;
  }

  get mode(): Mode | null {
    return this.#show()?.bound.limit.mode ?? null;
  }

  /** How long the caller had better wait before it goes on: nobody is held up here. */
  get delayMs(): number {
    return this.#facts.answer.allowed ? adviceMs(this.#facts, this.#viewAll()) : 0;
  }

  get replayed(): boolean {
    return this.#facts.answer.replayOf !== null;
  }

  get cost(): number {
    return this.#facts.check.cost;
  }

  get costs(): Readonly<Record<string, number>> {
    return Object.freeze({ ...this.#facts.check.costs });
  }

  get blockedBy(): BlockedBy | null {
    if (this.#facts.answer.allowed) return null;
    const { check, question, shutOut } = this.#facts;
    if (shutOut) {
      const { level, entity } = shutOut;
      return Object.freeze({ limit: null, per: [], level, entity, reason: 'blocked' });
    }
    const shown = this.#show();
    const bound = shown?.bound ?? question.limits.find(({ limit }) => limit.enforced);
    if (!bound) return null;
    const { limit } = bound;
    const level = levelOf(limit);
    const reason = shown ? (shown.reading.verdict as Reason) : 'unavailable';
    const entity = valueOf(level.part, check) ?? null;
    return Object.freeze({ limit: limit.name, per: limit.per, level: level.name, entity, reason });
  }

  /** The warn and shadow limits that would have refused. */
  get wouldBlock(): readonly string[] {
    const { question, answer } = this.#facts;
    const names = question.limits
      .filter(({ limit }, at) => !limit.enforced && refuses(answer.readings[at]))
      .map(({ limit }) => limit.name);
    return Object.freeze(names);
  }

  get adaptive(): { readonly factor: number; readonly reason: string | null } {
    return notAdaptive;
  }

  get ticket(): string | null {
    return this.#facts.answer.ticket;
  }

  get reservation(): { readonly id: string; readonly expiresAt: number } | null {
    const { reservation } = this.#facts.answer;
    if (!reservation) return null;
    return Object.freeze({
      id: reservation.id,
      expiresAt: Math.floor(reservation.expiresAtUs / 1_000_000),
    });
  }

  get limits(): readonly LimitDecision[] {
    return (this.#limits ??= Object.freeze(this.#viewAll().map(limitDecision)));
  }

  toJSON(): Record<string, unknown> {
    return Object.fromEntries(fields.map((field) => [field, this[field]]));
  }

  [Symbol.for('nodejs.util.inspect.custom')](): Record<string, unknown> {
    return this.toJSON();
  }

  #viewAll(): readonly ShownLimit[] {
    if (this.#views) return this.#views;
    const { question, answer } = this.#facts;
    this.#views = answer.readings.map((reading, at) => {
      const bound = question.limits[at] as BoundLimit;
      return { bound, reading, view: view(bound, reading, answer.nowUs) };
    });
    return this.#views;
  }

  #show(): ShownLimit | null {
    if (this.#shown !== undefined) return this.#shown;
    const views = this.#viewAll();
    const shown = this.#facts.answer.allowed ? strictest(views) : refuser(views);
    this.#shown = shown ?? null;
    return this.#shown;
  }
}

const notAdaptive = Object.freeze({ factor: 1, reason: null });
const unavailableRetryMs = 1000;
const lookAgainMs = 3_600_000;

/** Without an end nobody knows when: once an hour is often enough to look. */
function shutOutMs({ untilUs }: ShutOut, nowUs: number): number {
  return untilUs === null ? lookAgainMs : Math.max(0, untilUs - nowUs) / 1000;
}

/** The longest that an enforced limit asks for. */
function adviceMs({ question }: DecisionFacts, views: readonly ShownLimit[]): number {
  let longest = 0;
  for (const { bound, view: shown } of views) {
    const { limit } = bound;
    if (!limit.backpressure || !limit.enforced) continue;
    longest = Math.max(longest, delayMs(limit, limit.backpressure, shown, question.id));
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

const modeOrder = { enforce: 0, warn: 1, shadow: 2 } as const;

/** Enforced before warn before shadow; among those the least left relative to its size. */
function strictest(views: readonly ShownLimit[]): ShownLimit | undefined {
  let best: ShownLimit | undefined;
  for (const candidate of views) if (!best || isStricter(candidate, best)) best = candidate;
  return best;
}

function isStricter(a: ShownLimit, b: ShownLimit): boolean {
  const byMode = modeOrder[a.bound.limit.mode] - modeOrder[b.bound.limit.mode];
  if (byMode !== 0) return byMode < 0;
  return share(a) < share(b);
}

function share({ bound, view: { remaining } }: ShownLimit): number {
  return remaining / bound.limit.size;
}

const verdictOrder = { impossible: 0, penalty: 1, exceeded: 2, ok: 3 } as const;

/** Impossible before penalty before exceeded; then the longest wait; then the widest scope. */
function refuser(views: readonly ShownLimit[]): ShownLimit | undefined {
  return views
    .filter(({ bound, reading }) => bound.limit.enforced && reading.verdict !== 'ok')
    .toSorted(
      (a, b) =>
        verdictOrder[a.reading.verdict] - verdictOrder[b.reading.verdict] ||
        Number(isHint(a)) - Number(isHint(b)) ||
        (b.view.retryAfterUs ?? 0) - (a.view.retryAfterUs ?? 0) ||
        levelOf(a.bound.limit).order - levelOf(b.bound.limit).order,
    )[0];
}

/** When a slot comes free is a guess, which never outranks another limit's certainty. */
function isHint({ bound }: ShownLimit): boolean {
  return bound.limit.numbers.algorithm === 'concurrency';
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
