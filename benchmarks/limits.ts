import type { LimitInput } from 'sluice';
import { fixedWindow, quota, slidingWindow, slidingWindowCounter, tokenBucket } from 'sluice';
import type { Limit } from '../limiter/src/core/limit.ts';
import { parseLimit } from '../limiter/src/core/parse-limit.ts';

export const bucketCapacity = 100_000;
export const bucketIntervalMs = 600_000;

/**
 * Nobody reaches it, and no token comes back between two calls: a bucket that was full again would
 * have left Redis, and its next call would measure the making of a counter.
 */
export const bucket: LimitInput = tokenBucket({
  capacity: bucketCapacity,
  refill: { tokens: 1, every: bucketIntervalMs },
});

/** One of each kind: for a user at a resource, for a user, for the whole tenant. */
export const five: readonly LimitInput[] = [
  bucket,
  fixedWindow({ limit: 1_000_000, window: '1 day', per: ['tenant', 'subject'] }),
  slidingWindowCounter({ limit: 100_000, window: '1 hour', per: ['tenant', 'subject'] }),
  slidingWindow({ limit: 5_000, window: '1 hour', per: ['tenant', 'subject'] }),
  quota({ limit: 1_000_000_000, period: 'month', per: ['tenant'] }),
];

/** As an engine sees it. */
export function limitOf(input: LimitInput): Limit {
  const limit = parseLimit(input, { definedBy: 'benchmark', field: 'limit' });
  if (!limit) throw new Error('the limit is off');
  return limit;
}
