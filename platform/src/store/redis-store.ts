import { Coalescer, Deadline, fromIoredis, Guarded, RedisEngine, type RedisClient } from 'sluice';
import type { Engine } from 'sluice/core';
import { RedisBoard } from './board.ts';
import {
  connect,
  onServerLost,
  openConnection,
  requireNoCluster,
  serversOf,
  type Connection,
} from './redis-connection.ts';
import type { Shelf, Store } from './store.ts';

export type RedisStoreOptions = {
  readonly url: string;
  /** Names in Redis are hashed under this; the same on every node. */
  readonly secret: string;
  /** How long a decision is waited for. */
  readonly deadlineMs: number;
  /** For who wants to see every command. */
  readonly wrap: (client: RedisClient) => RedisClient;
  /** Told of every call of a script. */
  readonly onCall: (script: string, outcome: 'ok' | 'failed', durationUs: number) => void;
  readonly onError: (error: Error) => void;
};

export type RedisStore = Store & { readonly engine: RedisEngine; readonly client: RedisClient };

/** What decides on a Redis: in time, or not at all. */
export function deciderOn(
  engine: RedisEngine,
  { deadlineMs }: { readonly deadlineMs: number; readonly tenantMaxInFlight: number },
): Pick<Engine, 'decide'> {
  // Below the coalescer: what travels together is waited for together.
  return new Coalescer(new Guarded(engine, new Deadline(deadlineMs)));
}

/** Every call of it is told of. */
export function watched(
  client: RedisClient,
  { wrap, onCall }: Pick<RedisStoreOptions, 'wrap' | 'onCall'>,
): RedisClient {
  return timed(wrap(client), onCall);
}

export async function openRedisStore(options: RedisStoreOptions): Promise<RedisStore> {
  const redis = openConnection(options.url);
  redis.on('error', options.onError);
  const shelf = new RedisShelf(redis);
  const client = watched(fromIoredis(redis), options);
  const engine = new RedisEngine(client, { secret: options.secret });
  // A service that starts while its Redis is away decides by each limit's policy until it comes.
  const isThere = await connect(redis, options.onError);
  if (isThere) await requireNoCluster(redis);
  if (isThere) await shelf.lookUp().catch(() => {});
  return {
    kind: 'redis',
    engine,
    client,
    decider: deciderOn(engine, {
      deadlineMs: options.deadlineMs,
      tenantMaxInFlight: Number.POSITIVE_INFINITY,
    }),
    shelf,
    board: new RedisBoard(redis, options.secret),
    isThere: () => redis.status === 'ready',
    onLost: (listener) => onServerLost(redis, listener),
    ping: async () => {
      await redis.ping();
    },
    close: async () => {
      redis.disconnect();
    },
  };
}

class RedisShelf implements Shelf {
  readonly #redis: Connection;
  #life: string | null = null;
  #losses = 0;

  constructor(redis: Connection) {
    this.#redis = redis;
    onServerLost(redis, () => {
      this.#life = null;
      this.#losses += 1;
    });
    redis.on('ready', () => void this.lookUp().catch(() => {}));
    redis.on('+node', () => void this.lookUp().catch(() => {}));
  }

  get(key: string): Promise<string | null> {
    return this.#redis.get(key);
  }

  set(key: string, value: string, mode: 'PX', ttlMs: number): Promise<unknown> {
    return this.#redis.set(key, value, mode, ttlMs);
  }

  life(): string | null {
    return this.#life;
  }

  async lookUp(): Promise<void> {
    const losses = this.#losses;
    const infos = await Promise.all(serversOf(this.#redis).map((server) => server.info('server')));
    const lives = infos.map((info) => /^run_id:(\w+)/m.exec(info)?.[1] ?? null);
    // One that is not known, or was lost since, might have been restored from a copy.
    const isKnown = !lives.includes(null) && losses === this.#losses;
    this.#life = isKnown ? lives.map(String).toSorted(inOrder).join('.') : null;
  }
}

function inOrder(a: string, b: string): number {
  return a < b ? -1 : 1;
}

function timed(client: RedisClient, onCall: RedisStoreOptions['onCall']): RedisClient {
  const time = async (script: string, call: () => Promise<unknown>) => {
    const startedMs = performance.now();
    const ended = (outcome: 'ok' | 'failed') =>
      onCall(script, outcome, (performance.now() - startedMs) * 1000);
    try {
      const reply = await call();
      ended('ok');
      return reply;
    } catch (error) {
      ended('failed');
      throw error;
    }
  };
  return {
    cluster: client.cluster ?? false,
    evalsha: (...call) => time(call[3] ?? 'script', () => client.evalsha(...call)),
    eval: (...call) => time(call[3] ?? 'script', () => client.eval(...call)),
  };
}
