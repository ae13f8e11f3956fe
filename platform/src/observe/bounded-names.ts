/** What every name beyond the bound is called. */
export const otherName = 'other';

const lengthMax = 100;

/**
 * Names that come from outside and end up as label values: each one is a time series for ever, so
 * only the first so many are told apart.
 */
export class BoundedNames {
  readonly #known = new Set<string>();
  readonly #max: number;

  constructor(max: number, known: Iterable<string> = []) {
    this.#max = max;
    for (const name of known) this.of(name);
  }

  /** The name itself while there is room for it. */
  of(name: string): string {
    if (this.#known.has(name)) return name;
    if (this.#known.size >= this.#max || name.length > lengthMax) return otherName;
    this.#known.add(name);
    return name;
  }

  /** The name itself when it was named before. */
  known(name: string): string {
    return this.#known.has(name) ? name : otherName;
  }
}
