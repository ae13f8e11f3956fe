import type { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';

export const flexiblePoints = 1_000_000_000;
export const flexibleDurationS = 86_400;

/** rate-limiter-flexible on our client, with nothing beyond its defaults. */
export function openFlexible(redis: Redis, keyPrefix: string): RateLimiterRedis {
  return new RateLimiterRedis({
    storeClient: redis,
    keyPrefix,
    points: flexiblePoints,
    duration: flexibleDurationS,
  });
}
