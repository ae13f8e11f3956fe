import type { BoundLimit } from '../../../core/engine.ts';

/** A counter that is kept here while the store is away. */
type Local = {
  /** As it is counted here, and as it is in the store. */
  readonly share: BoundLimit;
  readonly whole: BoundLimit;
  /** What was let in here and the store does not know. */
  owed: number;
  /** When all that is owed no longer counts. */
  countsUntilUs: number;
};

/** What was let in without the store, of one tenant or of what is global, while it is away. */
export class Outage {
  readonly #counters = new Map<string, Local>();

  has(counter: string): boolean {
    return this.#counters.has(counter);
  }

  get shares(): BoundLimit[] {
    return [...this.#counters.values()].map(({ share }) => share);
  }

  get size(): number {
    return this.#counters.size;
  }

  begin(counter: string, share: BoundLimit, whole: BoundLimit): void {
    this.#counters.set(counter, { share, whole, owed: 0, countsUntilUs: 0 });
  }

  owe(counter: string, cost: number, { resetAtUs, isWindow }: Owing): void {
    const local = this.#counters.get(counter);
    if (!local) return;
    // In the next window the last one's use is nobody's business.
    if (isWindow && resetAtUs > local.countsUntilUs) local.owed = 0;
    local.owed += cost;
    local.countsUntilUs = resetAtUs;
  }

  /**
   * What the store is to be told. Never more than two of this node's shares: with a share at first and
   * what flowed in until all of it was there again, no more of it can still count.
   */
  debts(nowUs: number): BoundLimit[] {
    const debts: BoundLimit[] = [];
    for (const { share, whole, owed, countsUntilUs } of this.#counters.values()) {
      const cost = Math.min(owed, 2 * share.limit.size);
      if (cost > 0 && countsUntilUs > nowUs) debts.push({ ...whole, cost });
    }
    return debts;
  }
}

export type Owing = { readonly resetAtUs: number; readonly isWindow: boolean };
