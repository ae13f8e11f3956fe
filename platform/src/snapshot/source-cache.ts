import { Seal } from './seal.ts';
import type { KeySource, TenantSource } from './source.ts';

/** What we use of a Redis client here. */
export type CacheClient = {
  get(key: string): Promise<string | null>;
  set(key: string, value: string, mode: 'PX', ttlMs: number): Promise<unknown>;
};

const ttlMs = 10 * 60 * 1000;

/**
 * Sources in Redis, so that a new node does not ask the database for what another one knows. They
 * are believed only together with the tenant's epoch, and only within one life of the server:
 * `life` is part of every name, for a server that was restored from a copy would tell old news.
 * The cache is never waited for long and never an error: without it, the database is asked.
 */
export class SourceCache {
  readonly #client: CacheClient;
  readonly #prefix: string;
  readonly #life: () => string | null;
  readonly #waitMs: number;
  readonly #seal: Seal;

  constructor({
    client,
    prefix,
    secret,
    life,
    waitMs,
  }: {
    readonly client: CacheClient;
    readonly prefix: string;
    /** The same on all nodes: under it sources are sealed. */
    readonly secret: string;
    /** Null while it is not known: then there is no cache. */
    readonly life: () => string | null;
    readonly waitMs: number;
  }) {
    this.#client = client;
    this.#prefix = prefix;
    this.#life = life;
    this.#waitMs = waitMs;
    this.#seal = new Seal(secret);
  }

  tenant(id: string): Promise<TenantSource | null> {
    return this.#get<TenantSource>(`t:${id}`);
  }

  key(id: string): Promise<KeySource | null> {
    return this.#get<KeySource>(`k:${id}`);
  }

  putTenant(source: TenantSource): void {
    this.#put(`t:${source.id}`, source);
  }

  /** It is gone: nobody needs to find that out by what it was. */
  dropTenant(id: string): void {
    this.#put(`t:${id}`, null);
  }

  putKey(source: KeySource): void {
    this.#put(`k:${source.id}`, source);
  }

  async #get<T>(name: string): Promise<T | null> {
    const key = this.#keyOf(name);
    if (key === null) return null;
    try {
      const text = await within(this.#waitMs, this.#client.get(key));
      return text === null ? null : (JSON.parse(this.#seal.open(text)) as T);
    } catch {
      return null;
    }
  }

  #put(name: string, source: object | null): void {
    const key = this.#keyOf(name);
    if (key !== null) void this.#set(key, this.#seal.close(JSON.stringify(source)));
  }

  async #set(key: string, value: string): Promise<void> {
    try {
      await this.#client.set(key, value, 'PX', ttlMs);
    } catch {
      // Whoever misses it asks the database.
    }
  }

  #keyOf(name: string): string | null {
    const life = this.#life();
    return life === null ? null : `${this.#prefix}c:${life}:${name}`;
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
