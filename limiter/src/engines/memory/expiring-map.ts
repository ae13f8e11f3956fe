export type Entry<T> = { value: T; expiresAtUs: number };

/** What of it has not run out. */
export function valueAt<T>(entry: Entry<T> | null | undefined, nowUs: number): T | undefined {
  return entry && entry.expiresAtUs > nowUs ? entry.value : undefined;
}

/** A map whose entries run out and that never holds more than it may. */
export class ExpiringMap<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #entriesMax: number;
  #fullUntilUs = 0;

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(id: string, nowUs: number): T | undefined {
    return valueAt(this.#entries.get(id), nowUs);
  }

  /** A full map is looked through only when an entry has run out: else every call would pay. */
  hasRoom(nowUs: number): boolean {
    if (this.#entries.size < this.#entriesMax) return true;
    if (nowUs < this.#fullUntilUs) return false;
    this.#fullUntilUs = this.sweep(nowUs);
    return this.#entries.size < this.#entriesMax;
  }

  /** False, and nothing kept, when the map is full of entries that have not run out. */
  set(id: string, value: T, { expiresAtUs, nowUs }: { expiresAtUs: number; nowUs: number }) {
    if (!this.#entries.has(id) && !this.hasRoom(nowUs)) return false;
    this.#entries.set(id, { value, expiresAtUs });
    // It may run out before all that were there when the map was last looked through.
    this.#fullUntilUs = Math.min(this.#fullUntilUs, expiresAtUs);
    return true;
  }

  delete(id: string): void {
    this.#entries.delete(id);
  }

  /** Drops what has run out; returns when the next entry does. */
  sweep(nowUs: number): number {
    let soonestUs = Infinity;
    for (const [id, entry] of this.#entries) {
      if (entry.expiresAtUs <= nowUs) this.#entries.delete(id);
      else soonestUs = Math.min(soonestUs, entry.expiresAtUs);
    }
    return soonestUs;
  }

  dump(): [string, Entry<T>][] {
    return [...this.#entries];
  }

  restore(entries: readonly [string, Entry<T>][]): void {
    for (const [id, entry] of entries) this.#entries.set(id, entry);
  }
}
