/** What keeps it: a map, or what keeps things in a way of its own. */
export type Shelf<T, Given = T> = {
  readonly size: number;
  get(text: string): T | undefined;
  set(text: string, value: Given): unknown;
  delete(text: string): unknown;
};

/** A bounded map that forgets the older half of what was not asked for lately. */
export class RecentMap<T extends Given, Given = T, Kept extends Shelf<T, Given> = Shelf<T, Given>> {
  readonly #max: number;
  readonly #makeShelf: () => Kept;
  #young: Kept;
  #old: Kept;

  /** Holds at most twice as many. */
  constructor(
    max: number,
    makeShelf: () => Kept = () => new Map<string, T>() as Shelf<T, Given> as Kept,
  ) {
    this.#max = max;
    this.#makeShelf = makeShelf;
    this.#young = makeShelf();
    this.#old = makeShelf();
  }

  /** Another one whenever the older half is forgotten: what was put here, or asked for, since is there. */
  get young(): object {
    return this.#young;
  }

  get shelves(): readonly [Kept, Kept] {
    return [this.#young, this.#old];
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

  set(text: string, value: Given): void {
    if (this.#young.size >= this.#max) {
      this.#old = this.#young;
      this.#young = this.#makeShelf();
    }
    this.#young.set(text, value);
  }
}
