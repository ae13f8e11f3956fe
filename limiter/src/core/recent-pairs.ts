/**
 * A bounded map from two texts that forgets the older half of what was not asked for lately. Nothing
 * is put together to look something up: that would take as long as the look.
 */
export class RecentPairs<T> {
  readonly #max: number;
  #young = new Map<string, Map<string, T>>();
  #old = new Map<string, Map<string, T>>();
  #youngSize = 0;

  /** Holds at most twice as many. */
  constructor(max: number) {
    this.#max = max;
  }

  get(first: string, second: string): T | undefined {
    const young = this.#young.get(first)?.get(second);
    if (young !== undefined) return young;
    const old = this.#old.get(first)?.get(second);
    if (old !== undefined) this.set(first, second, old);
    return old;
  }

  set(first: string, second: string, value: T): void {
    if (this.#youngSize >= this.#max) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSize = 0;
    }
    let values = this.#young.get(first);
    if (!values) this.#young.set(first, (values = new Map()));
    values.set(second, value);
    this.#youngSize += 1;
  }
}
