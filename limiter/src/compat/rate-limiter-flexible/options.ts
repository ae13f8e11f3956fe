import { InvalidInput } from '../../core/errors.ts';
import { describe, parseWhole } from '../../core/numbers.ts';
import { refuseUnknownFields, requireObject } from '../../core/parse.ts';
import type { Clock } from '../../core/clock.ts';
import type { RedisPlace } from '../counting/store.ts';
import type { RateLimiterRes } from './res.ts';

export type Key = string | number;

/** The verbs, whoever has them: ours, or a limiter of rate-limiter-flexible. */
export type RateLimiterLike = {
  consume(key: Key, points?: number, options?: object): Promise<RateLimiterRes>;
  penalty(key: Key, points?: number, options?: object): Promise<RateLimiterRes>;
  reward(key: Key, points?: number, options?: object): Promise<RateLimiterRes>;
  get(key: Key): Promise<RateLimiterRes | null>;
  set(key: Key, points: number, secDuration: number): Promise<RateLimiterRes>;
  block(key: Key, secDuration: number): Promise<RateLimiterRes>;
  delete(key: Key): Promise<boolean>;
};

export type RateLimiterOptions = {
  readonly points: number;
  /** Seconds. */
  readonly duration: number;
  /** Seconds that a key is refused for once it asked for more than there was. */
  readonly blockDuration?: number;
  /** Tells limiters from each other. Default `rlflx`. */
  readonly keyPrefix?: string;
  /** Refused when true. */
  readonly execEvenly?: boolean;
};

export type RateLimiterMemoryOptions = RateLimiterOptions & {
  /** Unix microseconds: a fake one makes tests instant. */
  readonly clock?: Clock;
};

export type RateLimiterRedisOptions = RateLimiterOptions &
  Omit<RedisPlace, 'redis'> & {
    /** An ioredis client, which stays yours to close. */
    readonly storeClient: RedisPlace['redis'];
    /** Asked the same when Redis does not answer in time. */
    readonly insuranceLimiter?: RateLimiterLike;
    /** Accepted and not needed: refusals are never remembered apart from what was counted. */
    readonly inMemoryBlockOnConsumed?: number;
    /** Accepted and not needed: a Redis that does not answer has failed after `deadlineMs`. */
    readonly rejectIfRedisNotReady?: boolean;
  };

const common = ['points', 'duration', 'blockDuration', 'keyPrefix', 'execEvenly'];
const known = {
  memory: [...common, 'clock'],
  redis: [
    ...common,
    'storeClient',
    'secret',
    'deadlineMs',
    'insuranceLimiter',
    'inMemoryBlockOnConsumed',
    'rejectIfRedisNotReady',
  ],
};

const ioredisOnly = 'the client must be ioredis; leave this out';
/** What has no counterpart, and what to do about it. False, 0 and nothing ask for nothing. */
const refused: Readonly<Record<string, string>> = {
  execEvenly:
    'nobody is held up here; use a limit with `backpressure`, and `delay: "hold"` in the middleware',
  execEvenlyMinDelayMs: 'goes with execEvenly; use a limit with `backpressure`',
  inMemoryBlockDuration: 'a block is for all processes: use blockDuration',
  blockOnConsumed: 'a block begins with the first refusal: use blockDuration alone',
  customIncrTtlLuaScript: 'scripts are ours; leave this out',
  useRedisPackage: ioredisOnly,
  useRedis3AndLowerPackage: ioredisOnly,
};

export type Numbers = {
  readonly points: number;
  readonly durationMs: number;
  readonly blockDurationMs: number;
  readonly keyPrefix: string;
};

export function parseOptions(options: RateLimiterOptions, kind: 'memory' | 'redis'): Numbers {
  requireObject('options', options);
  for (const [name, problem] of Object.entries(refused)) {
    if ((options as Record<string, unknown>)[name]) throw new InvalidInput(name, problem);
  }
  refuseUnknownFields('', options, [...known[kind], ...Object.keys(refused)]);
  const { points, duration, blockDuration = 0, keyPrefix = 'rlflx' } = options;
  if (typeof keyPrefix !== 'string') {
    throw new InvalidInput('keyPrefix', `must be a string, got ${describe(keyPrefix)}`);
  }
  return {
    points: parsePoints('points', points, 1),
    durationMs: parseSeconds('duration', duration),
    blockDurationMs: blockDuration === 0 ? 0 : parseSeconds('blockDuration', blockDuration),
    keyPrefix,
  };
}

export function parsePoints(field: string, value: unknown, min = 0): number {
  return parseWhole(field, value, { min, max: 2 ** 50 });
}

const secondsMax = 315_360_000;

/** Nothing lasts for ever: what never ends, nobody ever cleans up. */
export function parseSeconds(field: string, value: unknown, secondsMost = secondsMax): number {
  const isNumber = typeof value === 'number' && value >= 0.001 && value <= secondsMost;
  if (isNumber) return Math.round(value * 1000);
  throw new InvalidInput(
    field,
    `must be seconds, above 0 and up to ${secondsMost}, got ${describe(value)}`,
  );
}

/** Options of a single call. */
export function requireNoCustomDuration(options: object | undefined): void {
  if (!options || !('customDuration' in options)) return;
  if (options.customDuration === undefined) return;
  throw new InvalidInput(
    'customDuration',
    'a limiter has one duration; make one with another keyPrefix and duration',
  );
}
