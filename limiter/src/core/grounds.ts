import type { ParsedCheck } from './check.ts';
import type { BoundLimit, Decided, Question, Reading } from './engine.ts';
import { levelOf, type Level } from './level.ts';
import { listOf } from './list.ts';
import { view, type LimitView } from './view.ts';

/** How we know, from surest to least. */
export type Basis = 'exact' | 'local' | 'fail_open' | 'fail_closed';

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

/** A limit, what the engine saw of it, and what is shown of that. */
export type ShownLimit = {
  readonly bound: BoundLimit;
  readonly reading: Reading;
  readonly view: LimitView;
};

/** What a decision rests on; each is computed when it is first read. */
export type Grounds = Pick<Decided, 'allowed' | 'nowUs' | 'ticket' | 'reservation' | 'replayOf'> & {
  readonly facts: DecisionFacts;
  /** Every limit with what it shows, in the question's order; none when the store failed. */
  readonly views: readonly ShownLimit[];
  /** The limit shown: the one that refused, else the strictest. */
  readonly shown: ShownLimit | null;
};

/** Any number of limits, as an engine answered. */
export class AnsweredGrounds implements Grounds {
  readonly facts: DecisionFacts;
  #views: readonly ShownLimit[] | undefined;
  #shown: ShownLimit | null | undefined;

  constructor(facts: DecisionFacts) {
    this.facts = facts;
  }

  get allowed(): boolean {
    return this.facts.answer.allowed;
  }

  get nowUs(): number {
    return this.facts.answer.nowUs;
  }

  get ticket(): Decided['ticket'] {
    return this.facts.answer.ticket;
  }

  get reservation(): Decided['reservation'] {
    return this.facts.answer.reservation;
  }

  get replayOf(): Decided['replayOf'] {
    return this.facts.answer.replayOf;
  }

  get views(): readonly ShownLimit[] {
    if (this.#views) return this.#views;
    const { question, answer } = this.facts;
    const views = listOf<ShownLimit>(answer.readings.length);
    for (let at = 0; at < views.length; at += 1) {
      const bound = question.limits[at] as BoundLimit;
      const reading = answer.readings[at] as Reading;
      views[at] = { bound, reading, view: view(bound, reading, answer.nowUs) };
    }
    this.#views = views;
    return views;
  }

  get shown(): ShownLimit | null {
    if (this.#shown !== undefined) return this.#shown;
    const shown = this.allowed ? strictest(this.views) : refuser(this.views);
    this.#shown = shown ?? null;
    return this.#shown;
  }
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
  let first: ShownLimit | undefined;
  for (const candidate of views) {
    const { bound, reading } = candidate;
    if (!bound.limit.enforced || reading.verdict === 'ok') continue;
    if (!first || rank(candidate, first) < 0) first = candidate;
  }
  return first;
}

function rank(a: ShownLimit, b: ShownLimit): number {
  return (
    verdictOrder[a.reading.verdict] - verdictOrder[b.reading.verdict] ||
    Number(isHint(a)) - Number(isHint(b)) ||
    (b.view.retryAfterUs ?? 0) - (a.view.retryAfterUs ?? 0) ||
    levelOf(a.bound.limit).order - levelOf(b.bound.limit).order
  );
}

/** When a slot comes free is a guess, which never outranks another limit's certainty. */
function isHint({ bound }: ShownLimit): boolean {
  return bound.limit.numbers.algorithm === 'concurrency';
}
