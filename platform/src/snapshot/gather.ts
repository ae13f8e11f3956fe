/** Reads many at once; what there is none of is not in the answer. */
export type ReadMany<T> = (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>;

type Waiting<T> = {
  readonly resolve: (found: T | null) => void;
  readonly reject: (error: unknown) => void;
};

/** Bounds what one statement reads. */
const idsMax = 100;
/** While so many are under way others wait, and are read together: what is slow is asked less. */
const readsAtOnceMax = 4;

/**
 * Reads at once what many ask for one by one, as a node does that starts among thousands of tenants
 * who call already. Each is read after it was asked for.
 */
export class Gather<T> {
  readonly #read: ReadMany<T>;
  readonly #waiting = new Map<string, Waiting<T>[]>();
  #reads = 0;
  #isPlanned = false;

  constructor(read: ReadMany<T>) {
    this.#read = read;
  }

  /** Null where there is none. */
  of(id: string): Promise<T | null> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(id);
      if (waiting) waiting.push({ resolve, reject });
      else this.#waiting.set(id, [{ resolve, reject }]);
      this.#plan();
    });
  }

  /** After everything that this turn has to ask for. */
  #plan(): void {
    if (this.#isPlanned || this.#reads >= readsAtOnceMax || this.#waiting.size === 0) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      void this.#readSome();
      this.#plan();
    });
  }

  async #readSome(): Promise<void> {
    const asked = [...this.#waiting].slice(0, idsMax);
    for (const [id] of asked) this.#waiting.delete(id);
    this.#reads += 1;
    try {
      const found = await this.#read(asked.map(([id]) => id));
      for (const [id, waiting] of asked) {
        for (const { resolve } of waiting) resolve(found.get(id) ?? null);
      }
    } catch (error) {
      for (const [, waiting] of asked) for (const { reject } of waiting) reject(error);
    } finally {
      this.#reads -= 1;
      this.#plan();
    }
  }
}
