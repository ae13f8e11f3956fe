import { systemClock, type Clock } from '../core/clock.ts';
import type { Engine } from '../core/engine.ts';
import { InvalidInput } from '../core/errors.ts';
import type { LimitInput } from '../core/limit-input.ts';
import type { Limit } from '../core/limit.ts';
import { describe, parseWhole } from '../core/numbers.ts';
import { parseName, refuseUnknownFields, requireObject } from '../core/parse.ts';
import { Guarded } from '../engines/guard/guarded.ts';
import { LocalShares } from '../engines/guard/local/local-shares.ts';
import { MemoryEngine } from '../engines/memory/index.ts';
import { Coalescer, fromIoredis, RedisEngine, type IoredisLike } from '../engines/redis/index.ts';
import { Limiter, SyncLimiter } from './limiter.ts';
import { parseLimits } from './parse-limits.ts';
import { warnOfResending } from './resend-warning.ts';

export type LimiterOptions = {
  /** All apply to every check. Names must differ. */
  readonly limits: readonly LimitInput[];
  /** Tells this limiter's counters from those of other limiters on one Redis. */
  readonly name?: string;
};

export type RedisLimiterOptions = LimiterOptions & {
  /** An ioredis client, `Redis` or `Cluster`. It stays yours to close. */
  readonly redis: IoredisLike;
  /** Subjects appear in Redis hashed under this. The same in every process. */
  readonly secret?: string;
} & StoreOptions;

export type StoreOptions = {
  /** After this long without an answer the limits' `onStoreFailure` decides. Default 50. */
  readonly deadlineMs?: number;
  /** How many processes share the limits: each has its part where `onStoreFailure` is `local`. Default 1. */
  readonly nodes?: number;
};

export type EngineLimiterOptions = LimiterOptions & {
  /** Any other engine, such as a `RedisEngine` on a client of your own. */
  readonly engine: Engine;
} & StoreOptions;

export type MemoryLimiterOptions = LimiterOptions & {
  /** Unix microseconds; a fake one makes tests instant. */
  readonly clock?: Clock;
  readonly countersMax?: number;
};

const deadlineMsDefault = 50;
const common = ['limits', 'name'];
const known = {
  memory: [...common, 'clock', 'countersMax'],
  redis: [...common, 'redis', 'secret', 'deadlineMs', 'nodes'],
  engine: [...common, 'engine', 'deadlineMs', 'nodes'],
};

/** In process with limits alone; on Redis with a client. The checks are the same. */
export function createLimiter(options: RedisLimiterOptions | EngineLimiterOptions): Limiter;
export function createLimiter(options: MemoryLimiterOptions): SyncLimiter;
export function createLimiter(
  options: MemoryLimiterOptions | RedisLimiterOptions | EngineLimiterOptions,
): Limiter {
  requireObject('options', options);
  const kind = 'engine' in options ? 'engine' : 'redis' in options ? 'redis' : 'memory';
  refuseUnknownFields('', options, known[kind]);
  const name = parseName('name', options.name ?? 'limiter');
  const limits = parseLimits(options.limits, name);
  if ('engine' in options || 'redis' in options) {
    return storedLimiter(options, limits, name);
  }
  const { clock = systemClock, countersMax = 1_000_000 } = options;
  if (typeof clock !== 'function') {
    throw new InvalidInput('clock', `must be a function, got ${describe(clock)}`);
  }
  const bound = parseWhole('countersMax', countersMax, { min: 1, max: 100_000_000 });
  const memory = { clock, countersMax: bound, countersPerTenantMax: bound };
  return new SyncLimiter(new MemoryEngine(memory), limits, name);
}

function storedLimiter(
  options: RedisLimiterOptions | EngineLimiterOptions,
  limits: readonly Limit[],
  name: string,
): Limiter {
  const { deadlineMs = deadlineMsDefault, nodes = 1 } = options;
  const patienceMs = parseWhole('deadlineMs', deadlineMs, { min: 1, max: 60_000 });
  const fleet = { nodes: parseWhole('nodes', nodes, { min: 1, max: 10_000 }), rank: nodes };
  const store =
    'engine' in options ? engineOf(options) : new RedisEngine(clientOf(options), secretOf(options));
  const engine = new Guarded(store, { deadlineMs: patienceMs, patienceMs });
  return new Limiter({
    engine,
    limits,
    name,
    // Below what lets calls travel together: what does is waited for together.
    decider: store instanceof RedisEngine ? new Coalescer(engine) : engine,
    local: { shares: null, make: () => new LocalShares({ engine, fleet: () => fleet }) },
  });
}

function engineOf({ engine }: EngineLimiterOptions): Engine {
  if (typeof engine?.decide === 'function') return engine;
  throw new InvalidInput('engine', `must be an engine, got ${describe(engine)}`);
}

function clientOf({ redis }: RedisLimiterOptions) {
  if (typeof redis?.evalsha !== 'function') {
    throw new InvalidInput('redis', 'must be an ioredis client; for another one pass an engine');
  }
  warnOfResending(redis);
  return fromIoredis(redis);
}

function secretOf({ secret }: RedisLimiterOptions) {
  if (secret === undefined) return {};
  if (typeof secret === 'string') return { secret };
  throw new InvalidInput('secret', `must be a string, got ${describe(secret)}`);
}
