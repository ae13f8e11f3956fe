type Close = () => Promise<unknown>;

/** What was opened so far: let go of in the opposite order, at the end or when a start fails. */
export class Opened {
  readonly #closes: Close[] = [];

  add(close: Close): void {
    this.#closes.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closes.splice(0).toReversed()) await close();
  }
}
