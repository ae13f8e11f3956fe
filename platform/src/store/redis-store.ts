import { Redis } from 'ioredis';
import { Coalescer, Deadline, fromIoredis, RedisEngine, type RedisClient } from 'sluice';
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

const connectTimeoutMs = 2000;
const retryMsMax = 2000;

/**
 * A connection that never does anything behind our back: a command that could not be sent or was
 * not answered fails, and is not sent later, when it would charge a call that is long over.
 */
export async function openRedisStore(options: RedisStoreOptions): Promise<Store> {
  const redis = new Redis(options.url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: connectTimeoutMs,
    connectionName: 'sluice',
    // Full jitter: nodes that lost the same server must not come back all at once.
    retryStrategy: (times) => Math.random() * Math.min(retryMsMax, 50 * 2 ** Math.min(times, 10)),
    reconnectOnError: (error) => (isReadOnly(error) ? 1 : false),
  });
  redis.on('error', options.onError);
  const shelf = new RedisShelf(redis);
  const client = timed(options.wrap(fromIoredis(redis)), options.onCall);
  const engine = new RedisEngine(client, { secret: options.secret });
  const deadline = new Deadline(options.deadlineMs);
  // A service that starts while its Redis is away decides by each limit's policy until it comes.
  await redis.connect().then(
    () => shelf.lookUp(),
    (error: Error) => options.onError(error),
  );
  return {
    kind: 'redis',
    engine,
    // Below the coalescer: what travels together is waited for together.
    decider: new Coalescer({ decide: (call) => deadline.run(engine.decide(call)) }),
    shelf,
    isThere: () => redis.status === 'ready',
    onLost: (listener) => redis.on('close', listener),
    ping: async () => {
      await redis.ping();
    },
    close: async () => {
      redis.disconnect();
    },
  };
}

/** A server that was demoted under a live connection: whoever the address names now is better. */
function isReadOnly(error: Error): boolean {
  return error.message.startsWith('READONLY');
}

class RedisShelf implements Shelf {
  readonly #redis: Redis;
  #life: string | null = null;

  constructor(redis: Redis) {
    this.#redis = redis;
    redis.on('close', () => {
      this.#life = null;
    });
    redis.on('ready', () => void this.lookUp().catch(() => {}));
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
    const info = await this.#redis.info('server');
    this.#life = /^run_id:(\w+)/m.exec(info)?.[1] ?? null;
  }
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
