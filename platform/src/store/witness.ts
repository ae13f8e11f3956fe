/** What was found missing. */
export type Loss = {
  /** What was written within so long before the last sign of life is gone; at least. */
  readonly lostMs: number;
  /** Nothing is there of what this process wrote: the server is empty, or from before its start. */
  readonly isAllGone: boolean;
};

/**
 * What a server was told and has confirmed: stamps that only grow. One that knows an earlier stamp
 * than the last it confirmed has forgotten, and with it whatever else was written since.
 */
export class Witness {
  readonly #keptMs: number;
  #firstMs = 0;
  #lastMs: number | null = null;

  /** How long a server keeps a stamp. */
  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  /**
   * It confirmed a stamp, and this was the one it had before. A later one than we know of is right:
   * its confirmation was lost.
   */
  confirmed(stampMs: number, beforeMs: number | null): Loss | null {
    const lastMs = this.#lastMs;
    this.#lastMs = stampMs;
    if (lastMs === null || stampMs - lastMs >= this.#keptMs) {
      this.#firstMs = stampMs;
      return null;
    }
    if (beforeMs !== null && beforeMs >= lastMs) return null;
    const lostMs = lastMs - (beforeMs ?? this.#firstMs);
    if (beforeMs === null) this.#firstMs = stampMs;
    return { lostMs, isAllGone: beforeMs === null };
  }
}
