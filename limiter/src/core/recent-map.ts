/** A bounded map that forgets the older half of what was not asked for lately. */
export class RecentMap<T> {
  readonly #max: number;
  #young = new Map<string, T>();
  #old = new Map<string, T>();

  /** Holds at most twice as many. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Another one whenever the older half is forgotten: what was put here, or asked for, since is there. */
  get young(): object {
    return this.#young;
  }

  get(text: string): T | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const old = this.#old.get(text);
    if (old !== undefined) this.set(text, old);
    return old;
  }

  /** Without being asked for by that. */
  peek(text: string): T | undefined {
    return this.#young.get(text) ?? this.#old.get(text);
  }

  delete(text: string): void {
    this.#young.delete(text);
    this.#old.delete(text);
  }

  set(text: string, value: T): void {
    if (this.#young.size >= this.#max) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(text, value);
  }
}
