import { StoreFailure } from 'sluice';
import type { TenantRef } from 'sluice/core';
import { placedEngine } from './placed-engine.ts';
import { placeOf, PoolStore, type PoolSetup } from './pool-store.ts';
import {
  openRedisStore,
  type Counting,
  type RedisStore,
  type RedisStoreOptions,
} from './redis-store.ts';
import type { Finding } from './start-up-checks.ts';
import type { PlacedStore } from './store.ts';

export type PooledStoreOptions = RedisStoreOptions & {
  readonly readPools: () => Promise<readonly PoolSetup[]>;
  /** Whether a pool's Redis takes commands; null: nobody uses the pool any more. */
  readonly onPool: (name: string, isThere: boolean | null) => void;
  readonly onPoolError: (name: string, error: Error) => void;
  /** Told of what is wrong with a pool's own servers. */
  readonly onPoolFinding: (name: string, finding: Finding) => void;
};

/** What is under way on connections that are no longer wanted gets so long. */
const closeAfterMs = 10_000;

/** The Redis that all share, and beside it each pool's own connections, opened when they are first used. */
export async function openPooledStore(options: PooledStoreOptions): Promise<PlacedStore> {
  const base = await openRedisStore(options);
  const pools = new PoolStores(base, options);
  await pools.refresh();
  const engineOf = (tenant: TenantRef) => {
    const known = pools.known(tenant);
    return known ? known.engine : pools.find(tenant).then(({ engine }) => engine);
  };
  const countingOf = async (tenant: TenantRef) => pools.known(tenant) ?? pools.find(tenant);
  return {
    kind: 'redis',
    engine: placedEngine(engineOf, base.engine),
    decider: {
      decide: (call) => {
        const known = pools.known(call.tenant);
        if (known) return known.decider.decide(call);
        return pools.find(call.tenant).then(({ decider }) => decider.decide(call));
      },
    },
    within: (deadlineMs) => base.within(deadlineMs),
    shelf: base.shelf,
    board: base.board,
    isThere: (place) => pools.isThere(place),
    onLost: (listener) => {
      base.onLost(() => listener(undefined));
      pools.onLost(listener);
    },
    findings: () => base.findings(),
    readQuotas: async (tenant, saved) => (await countingOf(tenant)).readQuotas(tenant, saved),
    refreshPools: () => pools.refresh(),
    ping: () => base.ping(),
    close: async () => {
      pools.close();
      await base.close();
    },
  };
}

class PoolStores {
  readonly #base: RedisStore;
  readonly #options: PooledStoreOptions;
  readonly #listeners: ((place: string | undefined) => void)[] = [];
  readonly #opened = new Map<string, PoolStore>();
  readonly #closing = new Set<PoolStore>();
  #setups: ReadonlyMap<string, PoolSetup> = new Map();
  #byPlace: ReadonlyMap<string, PoolSetup> = new Map();
  #refreshing: Promise<void> | null = null;

  constructor(base: RedisStore, options: PooledStoreOptions) {
    this.#base = base;
    this.#options = options;
  }

  /** Undefined where this node has yet to hear of the place. */
  known({ pool, place }: TenantRef): Counting | undefined {
    const setup = pool === undefined ? undefined : this.#setups.get(pool);
    // While a tenant moves, its pool may be another than that of its place: what is counted where counts.
    if (setup && placeOf(setup) === place) {
      const store = this.#storeOf(setup);
      // Nobody waits for a second way to where there is one already.
      return place === undefined && !store.isThere() ? this.#base : store.counting;
    }
    if (place === undefined) return this.#base;
    const there = this.#byPlace.get(place);
    return there && this.#storeOf(there).counting;
  }

  #storeOf(setup: PoolSetup): PoolStore {
    return this.#opened.get(setup.name) ?? this.#open(setup);
  }

  async find(tenant: TenantRef): Promise<Counting> {
    await this.refresh().catch((error: unknown) => {
      throw new StoreFailure('unknown pool', error);
    });
    const known = this.known(tenant);
    if (!known) throw new StoreFailure('unknown pool');
    return known;
  }

  isThere(place: string | undefined): boolean {
    // By any of the ways to it: who comes back first is asked first.
    if (place === undefined) return this.#base.isThere() || this.#isSharedThere();
    const setup = this.#byPlace.get(place);
    return setup !== undefined && (this.#opened.get(setup.name)?.isThere() ?? false);
  }

  #isSharedThere(): boolean {
    for (const store of this.#opened.values()) {
      if (store.place === undefined && store.isThere()) return true;
    }
    return false;
  }

  onLost(listener: (place: string | undefined) => void): void {
    this.#listeners.push(listener);
  }

  /** Of the pools that there are now; who asks while one reads waits for the next reading. */
  async refresh(): Promise<void> {
    await this.#refreshing?.catch(() => {});
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  async #refresh(): Promise<void> {
    const setups = await this.#options.readPools();
    this.#setups = new Map(setups.map((setup) => [setup.name, setup]));
    this.#byPlace = new Map(
      setups.flatMap((setup) => (setup.redisUrl === null ? [] : [[setup.id, setup] as const])),
    );
    for (const store of this.#opened.values()) {
      const setup = this.#setups.get(store.setup.name);
      if (!setup || !isSame(store.setup, setup)) this.#retire(store, setup !== undefined);
    }
  }

  close(): void {
    for (const store of [...this.#opened.values(), ...this.#closing]) store.close();
  }

  #open(setup: PoolSetup): PoolStore {
    const { name } = setup;
    const { onPool, onPoolError, onPoolFinding } = this.#options;
    let hasFailed = false;
    const store: PoolStore = new PoolStore(setup, {
      ...this.#options,
      shared: this.#base.client,
      onFinding: (finding) => onPoolFinding(name, finding),
      // Once for each time that it is lost: it is tried again and again.
      onError: (error) => {
        if (!hasFailed) onPoolError(name, error);
        hasFailed = true;
      },
      onChange: () => {
        const isThere = store.isThere();
        hasFailed &&= !isThere;
        if (this.#opened.get(name) === store) onPool(name, isThere);
      },
      onLost: () => {
        for (const listener of this.#listeners) listener(store.place);
      },
    });
    this.#opened.set(name, store);
    onPool(name, false);
    return store;
  }

  #retire(store: PoolStore, isReplaced: boolean): void {
    const { name } = store.setup;
    this.#opened.delete(name);
    if (!isReplaced) this.#options.onPool(name, null);
    this.#closing.add(store);
    setTimeout(() => {
      store.close();
      this.#closing.delete(store);
    }, closeAfterMs).unref();
  }
}

function isSame(a: PoolSetup, b: PoolSetup): boolean {
  return (
    a.id === b.id &&
    a.redisUrl === b.redisUrl &&
    a.connections === b.connections &&
    a.maxInFlight === b.maxInFlight
  );
}
