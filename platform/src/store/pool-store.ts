import { withGlobalElsewhere, type RedisClient } from 'sluice';
import { Connections } from './connections.ts';
import { type Counting, countingOn, type RedisStoreOptions, watched } from './redis-store.ts';
import { StartUpChecks } from './start-up-checks.ts';
import { StoreWatch } from './store-watch.ts';

/** What is known of a pool. */
export type PoolSetup = {
  readonly id: string;
  readonly name: string;
  /** Null: the Redis that all share. */
  readonly redisUrl: string | null;
  readonly connections: number;
  /** Of one tenant. */
  readonly maxInFlight: number;
};

export type PoolStoreOptions = Omit<RedisStoreOptions, 'onError'> & {
  /** What is global is counted there. */
  readonly shared: RedisClient;
  readonly onError: (error: Error) => void;
  readonly onChange: () => void;
  readonly onLost: () => void;
};

/** One pool's connections, with what decides on them. */
export class PoolStore {
  readonly setup: PoolSetup;
  /** Which Redis that is, as tenants are told. */
  readonly place: string | undefined;
  readonly counting: Counting;
  readonly #connections: Connections;
  /** Null for the Redis that all share, which is watched already. */
  readonly #watch: StoreWatch | null;

  constructor(setup: PoolSetup, options: PoolStoreOptions) {
    const { url, shared, deadlineMs, onError, onChange, onLost, onFinding } = options;
    this.setup = setup;
    this.place = placeOf(setup);
    this.#connections = new Connections({
      url: setup.redisUrl ?? url,
      deadlineMs,
      count: setup.connections,
      onError,
      onChange,
      onLost,
      // The one that all share is looked at once for all of them.
      ...(setup.redisUrl !== null && {
        onFirst: (connection) => new StartUpChecks(connection, onFinding).watch(),
      }),
    });
    const own = watched(this.#connections.client, options);
    const client = setup.redisUrl === null ? own : withGlobalElsewhere(own, shared);
    this.counting = countingOn(client, { ...options, tenantInFlightMax: setup.maxInFlight });
    this.#watch =
      setup.redisUrl === null
        ? null
        : new StoreWatch({ ...options, url: setup.redisUrl, client: this.#connections.client });
    this.#watch?.start();
  }

  isThere(): boolean {
    return this.#connections.isThere();
  }

  close(): void {
    this.#watch?.stop();
    this.#connections.close();
  }
}

export function placeOf({ id, redisUrl }: PoolSetup): string | undefined {
  return redisUrl === null ? undefined : id;
}
