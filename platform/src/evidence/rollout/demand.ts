import type {
  BoundLimit,
  LimitView,
  Reading,
  SlidingWindowCounterState,
  TokenBucketState,
} from 'sluice/core';

/**
 * How large a limit would have had to be. A limit in shadow or warn counts as if it were enforced
 * alone: what it would refuse it does not count, so that its own counter never tells how much was
 * asked for. Here what it would have refused is counted beside it, for as long as it would have
 * counted there; the sum of both is what the counter would hold had everybody been let in, the
 * *demand*. It does not depend on how large the limit is, and refusing somebody only lowers it. So
 *
 * - a size of N ≥ demand admits the call: what N counts is part of what "everybody" counts;
 * - where all calls of a counter are one subject's, a size of N < its greatest demand refuses it at
 *   least once: until the first call with a demand above N all were let in.
 *
 * The greatest demand that calls of a subject met is therefore the least size that refuses none of
 * them; where others share its counter, a size that surely does not. What is used comes from the
 * store and is of all nodes; what was refused is of this node. Estimates: windows that begin with
 * the first call, where another size would refuse that very call and begin elsewhere; numbers that
 * change meanwhile; and open calls, for nobody knows how long a refused one would have stayed: there
 * it is one more than the slots in use, a lower bound.
 */
export type Met = {
  readonly demand: number;
  /** The part of it that this node saw refused. */
  readonly extra: number;
};

export type MetCall = {
  readonly bound: BoundLimit;
  readonly reading: Reading;
  readonly shown: LimitView;
  readonly nowUs: number;
  /** Whether the limit charged it; what was admitted and is not charged was refused by others. */
  readonly charged: boolean;
};

/** How many counters may be followed by all limits together. */
export type Room = { left: number };

/** What one limit would have refused, by counter. */
export class Backlogs {
  readonly #byCounter = new Map<string, Backlog>();
  readonly #room: Room;
  readonly #onForgotten: () => void;

  constructor(room: Room, onForgotten: () => void) {
    this.#room = room;
    this.#onForgotten = onForgotten;
  }

  get size(): number {
    return this.#byCounter.size;
  }

  meet(call: MetCall): Met {
    const { bound, reading, shown, charged } = call;
    const refused = reading.verdict !== 'ok';
    const amount = amountOf(bound);
    if (bound.limit.numbers.algorithm === 'concurrency') {
      return { demand: shown.used + (charged ? 0 : amount), extra: 0 };
    }
    const asked = refused || charged ? 0 : amount;
    if (!refused && this.#byCounter.size === 0) return { demand: shown.used + asked, extra: 0 };
    const backlog = this.#find(bound, refused);
    if (!backlog) return { demand: shown.used + (charged ? 0 : amount), extra: 0 };
    const met = backlog.meet(call, refused ? amount : 0);
    return { demand: met.demand + asked, extra: met.extra };
  }

  /** Whom a subject's counters would tell of. */
  erase(subject: string): void {
    for (const [key] of this.#byCounter) {
      if ((JSON.parse(key) as unknown[]).at(-1) === subject) this.#forget(key);
    }
  }

  /** Forgets what no longer counts. */
  sweep(nowUs: number): void {
    for (const [key, backlog] of this.#byCounter) {
      if (backlog.isOver(nowUs)) this.#forget(key);
    }
  }

  #find({ limit, parts }: BoundLimit, make: boolean): Backlog | undefined {
    const key = JSON.stringify(parts);
    const known = this.#byCounter.get(key);
    if (known || !make) return known;
    if (this.#room.left <= 0 && !this.#forgetOldest()) return undefined;
    const made = backlogFor(limit.numbers.algorithm);
    this.#byCounter.set(key, made);
    this.#room.left -= 1;
    return made;
  }

  /** False when there is none: others have all the room. */
  #forgetOldest(): boolean {
    this.#onForgotten();
    const [oldest] = this.#byCounter.keys();
    if (oldest !== undefined) this.#forget(oldest);
    return oldest !== undefined;
  }

  #forget(key: string): void {
    this.#byCounter.delete(key);
    this.#room.left += 1;
  }
}

/** One slot whatever the cost. */
function amountOf({ limit, cost }: BoundLimit): number {
  return limit.numbers.algorithm === 'concurrency' ? Math.min(cost, 1) : cost;
}

type Algorithm = BoundLimit['limit']['numbers']['algorithm'];

/** What was refused of one counter and would still count. */
type Backlog = {
  meet(call: MetCall, refused: number): Met;
  isOver(nowUs: number): boolean;
};

function backlogFor(algorithm: Algorithm): Backlog {
  if (algorithm === 'token_bucket') return new BucketBacklog();
  if (algorithm === 'sliding_window_log') return new RollingBacklog();
  if (algorithm === 'sliding_window_counter') return new FadingBacklog();
  return new WindowBacklog();
}

/** Fixed windows and quotas: it counts until the window ends. */
class WindowBacklog implements Backlog {
  #endUs = 0;
  #refused = 0;

  meet({ shown }: MetCall, refused: number): Met {
    if (shown.resetAtUs !== this.#endUs) this.#refused = 0;
    this.#endUs = shown.resetAtUs;
    this.#refused += refused;
    return { demand: shown.used + this.#refused, extra: this.#refused };
  }

  isOver(nowUs: number): boolean {
    return nowUs >= this.#endUs;
  }
}

type Entry = { readonly atUs: number; readonly amount: number };

const entriesMax = 32;

/**
 * A rolling window: each refusal counts for the length of it. Of more than a few, the oldest two
 * become one as old as the younger: it counts a little longer than it should, never less.
 */
class RollingBacklog implements Backlog {
  #entries: Entry[] = [];
  #windowUs = 0;

  meet({ bound, shown, nowUs }: MetCall, refused: number): Met {
    const { numbers } = bound.limit;
    if (numbers.algorithm === 'sliding_window_log') this.#windowUs = numbers.windowUs;
    this.#entries = this.#entries.filter(({ atUs }) => atUs > nowUs - this.#windowUs);
    if (refused > 0) this.#add({ atUs: nowUs, amount: refused });
    const extra = this.#entries.reduce((sum, { amount }) => sum + amount, 0);
    return { demand: shown.used + extra, extra };
  }

  isOver(nowUs: number): boolean {
    return (this.#entries.at(-1)?.atUs ?? 0) <= nowUs - this.#windowUs;
  }

  #add(entry: Entry): void {
    this.#entries.push(entry);
    if (this.#entries.length <= entriesMax) return;
    const [oldest, next, ...rest] = this.#entries as [Entry, Entry, ...Entry[]];
    this.#entries = [{ atUs: next.atUs, amount: oldest.amount + next.amount }, ...rest];
  }
}

/** Two counters beside the limit's two: both fade alike. */
class FadingBacklog implements Backlog {
  #startUs = 0;
  #windowUs = 0;
  #previous = 0;
  #current = 0;

  meet({ bound, reading, nowUs }: MetCall, refused: number): Met {
    const state = reading.state as SlidingWindowCounterState;
    this.#roll(state);
    this.#current += refused;
    const { algorithm, numbers } = bound.limit;
    const usedIn = (previous: number, current: number) =>
      algorithm.show(numbers, { ...state, previous, current }, 0, nowUs).used;
    const all = usedIn(state.previous + this.#previous, state.current + this.#current);
    return {
      demand: all + reading.held,
      extra: all - usedIn(state.previous, state.current),
    };
  }

  isOver(nowUs: number): boolean {
    return nowUs >= this.#startUs + 2 * this.#windowUs;
  }

  #roll({ startUs, windowUs }: SlidingWindowCounterState): void {
    if (startUs !== this.#startUs || windowUs !== this.#windowUs) {
      const isNext = startUs === this.#startUs + windowUs && windowUs === this.#windowUs;
      this.#previous = isNext ? this.#current : 0;
      this.#current = 0;
    }
    this.#startUs = startUs;
    this.#windowUs = windowUs;
  }
}

/**
 * What lacks in the bucket, and what would lack on top had nobody been refused. Both refill from one
 * tap: the bucket first, then the rest. In ticks, of which a token is `perUs` and a microsecond
 * `tokens`: whole numbers, nothing is rounded before the end.
 */
class BucketBacklog implements Backlog {
  #tokens = 0;
  #perUs = 0;
  #atUs = 0;
  #lacking = 0;
  #refused = 0;

  meet({ bound, reading, nowUs }: MetCall, refused: number): Met {
    const { numbers } = bound.limit;
    if (numbers.algorithm !== 'token_bucket') return { demand: 0, extra: 0 };
    const { tokens, perUs, capacity } = numbers;
    if (tokens !== this.#tokens || perUs !== this.#perUs) this.#refused = 0;
    else this.#refused = Math.max(0, this.#refused - this.#overflowUntil(nowUs));
    const { emptyAtUs, fraction } = reading.state as TokenBucketState;
    const inBucket = (nowUs - emptyAtUs) * tokens - fraction;
    this.#tokens = tokens;
    this.#perUs = perUs;
    this.#atUs = Math.max(nowUs, this.#atUs);
    this.#lacking = Math.max(0, capacity * perUs - inBucket);
    this.#refused += refused * perUs;
    return {
      demand: Math.ceil((this.#lacking + this.#refused) / perUs) + reading.held,
      extra: Math.ceil(this.#refused / perUs),
    };
  }

  isOver(nowUs: number): boolean {
    return this.#overflowUntil(nowUs) >= this.#refused;
  }

  /** What the tap gave since the last look, beyond what the bucket itself took. */
  #overflowUntil(nowUs: number): number {
    return Math.max(0, Math.max(0, nowUs - this.#atUs) * this.#tokens - this.#lacking);
  }
}
