import {
  Coalescer,
  fromIoredis,
  Guarded,
  RedisEngine,
  type BreakerState,
  type RedisClient,
} from 'sluice';
import { RedisBoard } from './board.ts';
import { connect, onServerDoubted, openConnection, type Connection } from './redis-connection.ts';
import { RedisShelf } from './redis-shelf.ts';
import { StartUpChecks, type Finding } from './start-up-checks.ts';
import { StoreWatch, type StoreAlarm } from './store-watch.ts';
import type { Store } from './store.ts';

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
  /** Told when it is left alone for a while, and when it is asked again. */
  readonly onBreaker: (state: BreakerState, shard: string) => void;
  /** Told of what is wrong with the servers, each once. */
  readonly onFinding: (finding: Finding) => void;
  /** Told when a server's clock was set, and when a server forgot what it had confirmed. */
  readonly onAlarm: (alarm: StoreAlarm) => void;
  /** Counts even where that is not safe. */
  readonly isUnsafeWanted: boolean;
};

export type RedisStore = Store & Counting & { readonly client: RedisClient };

/** What counts on a Redis: in time, or not at all. */
export type Counting = Pick<Store, 'engine' | 'decider'> & Pick<RedisEngine, 'readQuotas'>;

export type CountingOptions = Pick<RedisStoreOptions, 'secret' | 'deadlineMs' | 'onBreaker'> & {
  /** Calls of one tenant that may be under way at once. */
  readonly tenantInFlightMax?: number;
};

export function countingOn(
  client: RedisClient,
  { secret, deadlineMs, tenantInFlightMax, onBreaker }: CountingOptions,
): Counting {
  const redisEngine = new RedisEngine(client, { secret });
  const engine = new Guarded(redisEngine, {
    deadlineMs,
    shardOf: (tenant) => redisEngine.shardOf(tenant),
    onBreaker,
    ...(tenantInFlightMax !== undefined && { tenantInFlightMax }),
  });
  return {
    engine,
    // Above the guard: what travels together is waited for together.
    decider: new Coalescer(engine),
    readQuotas: (tenant, quotas) => redisEngine.readQuotas(tenant, quotas),
  };
}

/** Every call of it is told of. */
export function watched(
  client: RedisClient,
  { wrap, onCall }: Pick<RedisStoreOptions, 'wrap' | 'onCall'>,
): RedisClient {
  return timed(wrap(client), onCall);
}

export async function openRedisStore(options: RedisStoreOptions): Promise<RedisStore> {
  const redis = openConnection(options.url, options.deadlineMs);
  redis.on('error', options.onError);
  const shelf = new RedisShelf(redis);
  const plain = fromIoredis(redis);
  const client = watched(plain, options);
  const { secret } = options;
  const counting = countingOn(client, options);
  // A service that starts while its Redis is away decides by each limit's policy until it comes.
  const isThere = await connect(redis, options.onError);
  const checks = new StartUpChecks(redis, options.onFinding);
  if (isThere) await requireSafe(checks, redis, options);
  checks.watch();
  if (isThere) await shelf.lookUp();
  const watch = new StoreWatch({ ...options, client: plain });
  watch.start();
  return {
    kind: 'redis',
    ...counting,
    within: (deadlineMs) => countingOn(client, { ...options, deadlineMs }),
    client,
    shelf,
    board: new RedisBoard(redis, secret),
    isThere: () => redis.status === 'ready',
    onLost: (listener) => onServerDoubted(redis, listener),
    findings: () => checks.findings.filter(({ isUnsafe }) => isUnsafe).map(({ code }) => code),
    ping: async () => {
      await redis.ping();
    },
    close: async () => {
      watch.stop();
      redis.disconnect();
    },
  };
}

/** A server that is lost just now will be looked at when it is back. */
async function requireSafe(
  checks: StartUpChecks,
  redis: Connection,
  { onError, isUnsafeWanted }: RedisStoreOptions,
): Promise<void> {
  try {
    await checks.look();
  } catch (error) {
    return onError(error as Error);
  }
  const refusal = isUnsafeWanted ? null : checks.refusal;
  if (refusal === null) return;
  redis.disconnect();
  throw new Error(refusal);
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
    givesBytes: client.givesBytes,
    serverOf: client.serverOf,
    evalsha: (...call) => time(call[3] ?? 'script', () => client.evalsha(...call)),
    eval: (...call) => time(call[3] ?? 'script', () => client.eval(...call)),
  };
}
