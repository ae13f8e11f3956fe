import {
  CheckQuestion,
  StoreFailure,
  view,
  type BoundLimit,
  type Decided,
  type Engine,
  type Limit,
  type ParsedCheck,
  type Question,
  type TenantRef,
} from 'sluice/core';
import type { LocalShares } from 'sluice';
import type { Item, Seen } from './item.ts';

export type CountersParts = {
  readonly decider: Pick<Engine, 'decide'>;
  readonly engine: Pick<Engine, 'refund' | 'debit' | 'inspect'>;
  /** For limits that fail local. */
  readonly local: Pick<LocalShares, 'heard'>;
};

export type Weighed = { readonly isAllowed: boolean; readonly seen: ReadonlyMap<Item, Seen> };

/** Nobody sends these again: long enough that no two can be taken for one. */
const rememberMs = 1000;

/** The counters of one domain. What the store does not answer is thrown. */
export class Counters {
  readonly #parts: CountersParts;
  readonly #tenant: TenantRef;

  constructor(parts: CountersParts, tenant: TenantRef) {
    this.#parts = parts;
    this.#tenant = tenant;
  }

  /** All or none of those that refuse, each by itself of those that are watched; or only a look. */
  async weigh(items: readonly Item[], limitOf: LimitOf, taking: Taking): Promise<Weighed> {
    const peek = taking === 'nothing';
    const isGranting = taking === 'hits and grants';
    const groups = grouped(items, limitOf, isGranting);
    const bounds = groups.map(({ bound }) => bound);
    const [answer] = await this.#ask([questionOf(bounds, peek)]);
    const decided = answer as Decided;
    const seen = new Map<Item, Seen>();
    for (const [at, group] of groups.entries()) {
      for (const item of group.items)
        seen.set(item, seenOf(item, group, { decided, at, peek, isGranting }));
    }
    return { isAllowed: decided.allowed, seen };
  }

  /** Each by itself, in order, as if it had come alone. */
  async weighEach(
    items: readonly Item[],
    taking: Exclude<Taking, 'nothing'>,
  ): Promise<Map<Item, Seen>> {
    const isGranting = taking === 'hits and grants';
    const groups = items.map((item) => ({
      items: [item],
      bound: boundOf(item, watched(item), isGranting),
    }));
    const answers = await this.#ask(
      groups.map(({ bound }) => questionOf([bound], bound.cost === 0)),
    );
    return new Map(
      items.map((item, index) => {
        const decided = answers[index] as Decided;
        const peek = item.hits === 0;
        const group = groups[index] as Group;
        return [item, seenOf(item, group, { decided, at: 0, peek, isGranting })];
      }),
    );
  }

  /** Charges what has happened, whether it fits or not. */
  async debit(items: readonly Item[]): Promise<void> {
    const limits = items.map((item) => boundOf(item, item.limits.enforced));
    const { id } = questionOf(limits, false);
    await this.#parts.engine.debit(this.#tenant, { id, limits, rememberMs });
  }

  /** Gives back, of what the running window has used. What is shown is as of before. */
  async refund(items: readonly Item[]): Promise<ReadonlyMap<Item, Seen>> {
    const { engine } = this.#parts;
    const limits = items.map((item) => boundOf(item, item.limits.enforced));
    const { nowUs, readings } = await engine.inspect(this.#tenant, limits);
    const { id } = questionOf(limits, false);
    await engine.refund(this.#tenant, { id, chargedAtUs: nowUs, limits, rememberMs });
    return new Map(
      items.map((item, at) => {
        const shown = view(limits[at] as BoundLimit, readings[at] as never, nowUs);
        const remaining = Math.min(shown.remaining + item.hits, item.limits.enforced.size);
        const seen = { isOver: false, isOwn: true, isCharged: false, granted: 0, nowUs };
        return [item, { ...seen, before: shown.used, view: { ...shown, remaining } }];
      }),
    );
  }

  async #ask(questions: readonly Question[]) {
    const result = await this.#parts.decider.decide({ tenant: this.#tenant, questions });
    if (result.kind !== 'answered') throw new StoreFailure(result.kind);
    for (const [at, answer] of result.answers.entries()) {
      if (answer.kind !== 'decided') throw new StoreFailure('malformed reply');
      this.#parts.local.heard(this.#tenant, questions[at] as Question, answer);
    }
    return result.answers;
  }
}

export type LimitOf = (item: Item) => Limit;

/** A look takes nothing; what is granted is taken with the hits, or not at all. */
export type Taking = 'nothing' | 'hits' | 'hits and grants';

export const watched: LimitOf = ({ limits }) => limits.watched;

/** Descriptors of one request with one counter count together on it. */
type Group = { readonly items: Item[]; bound: BoundLimit };

function grouped(items: readonly Item[], limitOf: LimitOf, isGranting: boolean): Group[] {
  const groups = new Map<string, Group>();
  for (const item of items) {
    const bound = boundOf(item, limitOf(item), isGranting);
    const key = `${bound.limit.counterId} ${item.subject}`;
    const known = groups.get(key);
    if (known) {
      known.items.push(item);
      known.bound = together(known.bound, bound);
    } else {
      groups.set(key, { items: [item], bound });
    }
  }
  return [...groups.values()];
}

/** The stricter of the two limits decides for both: one that refuses, then the smaller. */
function together(a: BoundLimit, b: BoundLimit): BoundLimit {
  const isFirst =
    a.limit.enforced === b.limit.enforced ? a.limit.size <= b.limit.size : a.limit.enforced;
  return { ...(isFirst ? a : b), cost: a.cost + b.cost };
}

function boundOf({ subject, hits, grant }: Item, limit: Limit, isGranting = false): BoundLimit {
  return { limit, parts: [subject], cost: isGranting ? hits + grant : hits };
}

type Weighing = {
  readonly decided: Decided;
  readonly at: number;
  readonly peek: boolean;
  readonly isGranting: boolean;
};

function seenOf(
  item: Item,
  { bound }: Pick<Group, 'bound'>,
  { decided, at, peek, isGranting }: Weighing,
): Seen {
  const { nowUs, allowed, degraded } = decided;
  const reading = decided.readings[at];
  if (!reading) throw new StoreFailure('malformed reply');
  const isOver = reading.verdict !== 'ok';
  const isCharged = !peek && !isOver && bound.cost > 0 && (allowed || !bound.limit.enforced);
  const shown = view({ ...bound, limit: item.limits.enforced }, reading, nowUs);
  return {
    isOver,
    isOwn: degraded === null,
    isCharged,
    granted: isCharged && isGranting ? item.grant : 0,
    before: isCharged ? shown.used - bound.cost : shown.used,
    view: shown,
    nowUs,
  };
}

const nobody: ParsedCheck = {
  resource: 'rls',
  subject: 'rls',
  tenant: 'rls',
  key: null,
  cost: 1,
  costs: {},
  attributes: {},
  idempotencyKey: null,
  reserve: null,
};
const looker: ParsedCheck = { ...nobody, cost: 0 };

/** What a question is asked for: only whether it takes anything matters here. */
export function checkFor(peek: boolean): ParsedCheck {
  return peek ? looker : nobody;
}

export function questionOf(bounds: readonly BoundLimit[], peek: boolean): Question {
  return new CheckQuestion(checkFor(peek), bounds);
}
