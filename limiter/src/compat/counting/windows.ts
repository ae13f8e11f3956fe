import type { BoundLimit, Reading, Verdict } from '../../core/engine.ts';
import { StoreFailure } from '../../core/errors.ts';
import type { Limit } from '../../core/limit.ts';
import { parseLimit } from '../../core/parse-limit.ts';
import { nextQuestionNumber, questionId } from '../../core/question-id.ts';
import { view } from '../../core/view.ts';
import type { Store } from './store.ts';

/** What was seen of a key's window, after what was asked. Times are the store's. */
export type Seen = {
  readonly verdict: Verdict;
  readonly used: number;
  readonly remaining: number;
  readonly nowUs: number;
  readonly resetAtUs: number;
  /** 0 when nothing is blocked. */
  readonly blockedUntilUs: number;
};

/** A question that was decided: all that was asked together is charged, or nothing. */
export type Taken = { readonly id: string; readonly allowed: boolean; readonly seen: Seen[] };

export type WindowRules = {
  /** Whose counters these are, among all in the store. */
  readonly definedBy: string;
  readonly windowMs: number;
  /** After a refusal a key is refused for this long; 0 looks for blocks and makes none. */
  readonly blockForMs?: number | undefined;
};

const tenant = { id: 'default' };
const remembered = 256;
/** Nobody gives back or adds under one id again, but for a connection that resends. */
const rememberMs = 1000;

/** Charges every one of them, or none, in one step. */
export async function take(store: Store, limits: readonly BoundLimit[]): Promise<Taken> {
  const id = questionId(nextQuestionNumber());
  const peek = limits.every(({ cost }) => cost === 0);
  const result = await store.decider.decide({ tenant, questions: [{ id, limits, peek }] });
  const answer = result.kind === 'answered' ? result.answers[0] : undefined;
  if (answer?.kind !== 'decided') throw new StoreFailure('no answer');
  const { allowed, nowUs, readings } = answer;
  return { id, allowed, seen: limits.map((bound, at) => seenOf(bound, readings[at], nowUs)) };
}

/** One window for each key, beginning with its first call: what both packages count by. */
export class Windows {
  readonly store: Store;
  readonly rules: WindowRules;
  readonly #limits = new Map<number, Limit>();

  constructor(store: Store, rules: WindowRules) {
    this.store = store;
    this.rules = rules;
  }

  /** The size is no part of whose counter it is: it may differ from call to call. */
  of(key: string, size: number, cost = 0): BoundLimit {
    let limit = this.#limits.get(size);
    if (!limit) {
      limit = limitOf(this.rules, size);
      if (this.#limits.size >= remembered) this.#limits.clear();
      this.#limits.set(size, limit);
    }
    return { limit, parts: [key], cost };
  }

  /** What the key's window says, or what a new one would. */
  async inspect(bound: BoundLimit): Promise<Seen> {
    const { nowUs, readings } = await this.store.engine.inspect(tenant, [bound]);
    return seenOf(bound, readings[0], nowUs);
  }

  /** Null when the key has no window. */
  async look(bound: BoundLimit): Promise<Seen | null> {
    const seen = await this.inspect(bound);
    const isNew = seen.used === 0 && seen.resetAtUs - seen.nowUs >= this.rules.windowMs * 1000;
    return isNew && seen.blockedUntilUs === 0 ? null : seen;
  }

  /** What a question of this id charged, within the window that it was charged in. */
  async giveBack(bound: BoundLimit, { id, atUs }: { id: string; atUs: number }): Promise<void> {
    const call = { id, chargedAtUs: atUs, limits: [bound], rememberMs };
    await this.store.engine.refund(tenant, call);
  }

  /** Whether or not it fits. */
  async add(bound: BoundLimit): Promise<void> {
    const id = questionId(nextQuestionNumber());
    await this.store.engine.debit(tenant, { id, limits: [bound], rememberMs });
  }

  async forget(bound: BoundLimit): Promise<void> {
    await this.store.engine.reset(tenant, [bound]);
  }

  /** Instead of what it had: a window of this length, with so much used. */
  async set(bound: BoundLimit, used: number, windowMs: number): Promise<void> {
    await this.forget(bound);
    if (used === 0) return;
    const limit = limitOf({ ...this.rules, windowMs }, bound.limit.size);
    await this.add({ ...bound, limit, cost: used });
  }

  /** Refuses a key for so long, and forgets what it used: whatever that was, it starts afresh then. */
  async block(bound: BoundLimit, blockForMs: number): Promise<void> {
    const windowMs = Math.min(this.rules.windowMs, blockForMs);
    const limit = limitOf({ ...this.rules, windowMs, blockForMs }, 1);
    await this.forget(bound);
    // The first takes all there is; so the second is refused, and that is what blocks.
    const asked = () => ({
      id: questionId(nextQuestionNumber()),
      limits: [{ ...bound, limit, cost: 1 }],
      peek: false,
    });
    await this.store.engine.decide({ tenant, questions: [asked(), asked()] });
  }
}

/** A penalty of no length: the mark of one is looked for, and a refusal blocks nobody. */
const noPenalty = { blockUs: 0, growthThousandths: 1000, blockMaxUs: 0 };

function limitOf({ definedBy, windowMs, blockForMs = -1 }: WindowRules, size: number): Limit {
  const input = {
    algorithm: 'fixed_window',
    limit: size,
    window: windowMs,
    align: 'first_request',
    per: ['tenant', 'subject'],
    ...(blockForMs > 0 && { blockFor: blockForMs }),
  } as const;
  const limit = parseLimit(input, { definedBy, field: 'limit' }) as Limit;
  return blockForMs === 0 ? { ...limit, penalty: noPenalty } : limit;
}

function seenOf(bound: BoundLimit, reading: Reading | undefined, nowUs: number): Seen {
  if (!reading) throw new StoreFailure('no answer');
  const { used, remaining, resetAtUs } = view(bound, reading, nowUs);
  const { verdict, blockedUntilUs } = reading;
  return { verdict, used, remaining, nowUs, resetAtUs, blockedUntilUs };
}
