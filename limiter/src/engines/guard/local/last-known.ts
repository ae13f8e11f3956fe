/** What was left of a counter when the store last said so, and when all of it is back. */
export type LastKnown = { readonly remaining: number; readonly resetAtUs: number };

/** The counters that were asked about last, by name; the oldest is forgotten when there are too many. */
export class LastKnowns {
  readonly #max: number;
  readonly #known = new Map<string, LastKnown>();

  constructor(max: number) {
    this.#max = max;
  }

  get(counter: string): LastKnown | undefined {
    return this.#known.get(counter);
  }

  set(counter: string, known: LastKnown): void {
    // Moved to the end, for the first is the oldest.
    this.#known.delete(counter);
    this.#known.set(counter, known);
    if (this.#known.size <= this.#max) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      break;
    }
  }
}
