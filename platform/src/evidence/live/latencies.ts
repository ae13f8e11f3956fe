/** Each bound is a fifth above the one before: enough to draw, and few to send. */
const perDoubling = 4;
const bucketsMax = 96;

/** How long decisions took, as counts between bounds that are the same on every node. */
export class Latencies {
  readonly #counts: number[];

  constructor(counts: readonly number[] = []) {
    this.#counts = [...counts];
  }

  add(durationUs: number): void {
    const at = Math.min(bucketsMax - 1, Math.floor(Math.log2(durationUs + 1) * perDoubling));
    while (this.#counts.length <= at) this.#counts.push(0);
    this.#counts[at] = (this.#counts[at] as number) + 1;
  }

  merge(other: readonly number[]): void {
    for (const [at, count] of other.slice(0, bucketsMax).entries()) {
      while (this.#counts.length <= at) this.#counts.push(0);
      this.#counts[at] = (this.#counts[at] as number) + count;
    }
  }

  /** No more than this share took longer, in milliseconds; null of nothing. */
  quantileMs(share: number): number | null {
    const total = this.#counts.reduce((sum, count) => sum + count, 0);
    if (total === 0) return null;
    let seen = 0;
    for (const [at, count] of this.#counts.entries()) {
      seen += count;
      if (seen >= total * share) return Math.round(2 ** ((at + 1) / perDoubling)) / 1000;
    }
    return null;
  }

  get counts(): readonly number[] {
    return this.#counts;
  }
}
