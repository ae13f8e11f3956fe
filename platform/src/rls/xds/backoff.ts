export type BackoffTimes = { readonly firstMs: number; readonly mostMs: number };

/** How long to wait before the next try: twice as long each time, and never all at once. */
export class Backoff {
  readonly #times: BackoffTimes;
  #tries = 0;

  constructor(times: BackoffTimes) {
    this.#times = times;
  }

  /** Between half and all of it: nodes that lost one server together do not come back together. */
  nextMs(): number {
    const { firstMs, mostMs } = this.#times;
    const fullMs = Math.min(mostMs, firstMs * 2 ** this.#tries);
    this.#tries += 1;
    return fullMs * (0.5 + Math.random() / 2);
  }

  reset(): void {
    this.#tries = 0;
  }
}
