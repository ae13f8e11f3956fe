import { LRUCache } from 'lru-cache';
import { RecentMap } from 'sluice/core';
import type { SourceReader } from './read-source.ts';
import { SingleFlight } from './single-flight.ts';
import type { CacheWatch } from './snapshots.ts';
import type { SourceCache } from './source-cache.ts';
import { KeyTable } from './key-table.ts';
import type { KnownKey } from './known-key.ts';
import type { Snapshot } from './snapshot.ts';
import type { KeySource } from './source.ts';

export type KeyRingOptions = {
  readonly reader: SourceReader;
  readonly cache: SourceCache | null;
  readonly watch: CacheWatch;
  readonly keysMax: number;
};

const unknownMax = 10_000;
/** What takes a fraction of a millisecond. */
const rowsAtOnce = 5000;
const unknownTtlMs = 5000;

/** The keys that this node knows: in process, else from the cache in Redis, else from the database. */
export class KeyRing {
  readonly #reader: SourceReader;
  readonly #cache: SourceCache | null;
  readonly #watch: CacheWatch;
  readonly #keys: RecentMap<KnownKey, KeySource, KeyTable>;
  /** Ids are never used twice: what is unknown stays so. */
  readonly #unknown = new LRUCache<string, true>({ max: unknownMax, ttl: unknownTtlMs });
  readonly #loading = new SingleFlight<KnownKey | null>();

  constructor({ reader, cache, watch, keysMax }: KeyRingOptions) {
    this.#reader = reader;
    this.#cache = cache;
    this.#watch = watch;
    this.#keys = new RecentMap(keysMax / 2, () => new KeyTable());
  }

  /** As of the tenant's epoch or later; undefined when it must be looked up. */
  known(id: string, epoch = 0): KnownKey | null | undefined {
    const key = this.#keys.get(id);
    const found = key && key.epoch >= epoch ? key : undefined;
    if (!found && this.#unknown.get(id)) return null;
    this.#watch('key', found ? 'hit' : 'miss');
    return found;
  }

  async find(id: string, epoch = 0): Promise<KnownKey | null> {
    return this.#loading.join(`${id} ${epoch}`, async () => {
      const cached = (await this.#cache?.key(id)) ?? null;
      const key = cached && cached.epoch >= epoch ? cached : await this.#read(id);
      if (key) return this.#keep(key);
      this.forget(id);
      return null;
    });
  }

  /** Reads it anew, for all nodes that look into the cache. */
  async refresh(id: string): Promise<void> {
    const key = await this.#read(id);
    if (key) this.#keep(key);
  }

  #keep(source: KeySource): KnownKey {
    const { id } = source;
    this.#keys.set(id, source);
    return this.#keys.peek(id) as KnownKey;
  }

  /** It is not looked up again for a while: there is no such key. */
  forget(id: string): void {
    this.#keys.delete(id);
    this.#unknown.set(id, true);
  }

  /** A part of it with every call: tenants that are gone, or were read anew, are not kept by their keys. */
  letGo(isOld: (snapshot: Snapshot) => boolean): void {
    for (const table of this.#keys.shelves) table.letGo(rowsAtOnce, isOld);
  }

  async #read(id: string): Promise<KeySource | null> {
    const key = await this.#reader.key(id);
    if (key) this.#cache?.putKey(key);
    return key;
  }
}
