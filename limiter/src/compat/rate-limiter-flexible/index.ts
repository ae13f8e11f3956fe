// `sluice/compat/rate-limiter-flexible`: its verbs on our engines, in process or on Redis. For moving
// over; what changes, and the native form, is in docs/moving-over.md.

import { memoryStore, redisStore } from '../counting/store.ts';
import { InvalidInput } from '../../core/errors.ts';
import { describe } from '../../core/numbers.ts';
import { RateLimiter } from './limiter.ts';
import {
  parseOptions,
  type RateLimiterMemoryOptions,
  type RateLimiterRedisOptions,
} from './options.ts';

export type {
  Key,
  RateLimiterLike,
  RateLimiterMemoryOptions,
  RateLimiterRedisOptions,
} from './options.ts';
export { RateLimiterRes } from './res.ts';
export { RateLimiterUnion, type UnionRes } from './union.ts';

let made = 0;

/** Counts in process, each limiter for itself. */
export class RateLimiterMemory extends RateLimiter {
  constructor(options: RateLimiterMemoryOptions) {
    const numbers = parseOptions(options, 'memory');
    made += 1;
    const definedBy = `rate-limiter-flexible in process ${made}`;
    super({ store: memoryStore(options.clock), numbers, definedBy });
  }
}

/** Counts in Redis, all limiters of one `keyPrefix` together. */
export class RateLimiterRedis extends RateLimiter {
  constructor(options: RateLimiterRedisOptions) {
    const numbers = parseOptions(options, 'redis');
    const { storeClient, secret, deadlineMs, insuranceLimiter } = options;
    if (insuranceLimiter !== undefined && typeof insuranceLimiter?.consume !== 'function') {
      const problem = `must be a limiter, got ${describe(insuranceLimiter)}`;
      throw new InvalidInput('insuranceLimiter', problem);
    }
    super({
      store: redisStore('storeClient', { redis: storeClient, secret, deadlineMs }),
      numbers,
      definedBy: `rate-limiter-flexible ${numbers.keyPrefix}`,
      insurance: insuranceLimiter,
    });
  }
}
