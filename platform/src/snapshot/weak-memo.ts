/** Remembers what was made by its name, for as long as somebody else holds it: nothing needs a bound then. */
export class WeakMemo<T extends object> {
  readonly #made = new Map<string, WeakRef<T>>();
  readonly #collected = new FinalizationRegistry<string>((name) => {
    // It may have been made again since.
    if (this.#made.get(name)?.deref() === undefined) this.#made.delete(name);
  });

  /** Names, of which some may be of what is gone since the last collection. */
  get size(): number {
    return this.#made.size;
  }

  of(name: string, make: () => T): T {
    const known = this.#made.get(name)?.deref();
    if (known !== undefined) return known;
    const made = make();
    this.#made.set(name, new WeakRef(made));
    this.#collected.register(made, name);
    return made;
  }
}
