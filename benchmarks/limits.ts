import {
  createLimiter,
  fixedWindow,
  MemoryEngine,
  quota,
  slidingWindow,
  slidingWindowCounter,
  tokenBucket,
  type LimitInput,
} from 'sluice';
import type { DecideCall } from '../limiter/src/core/engine.ts';
import type { Limit } from '../limiter/src/core/limit.ts';

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

/**
 * As an engine sees it: asked for by way of one that listens, because only the compiled library is
 * measured, and that shows limits to nobody else.
 */
export async function limitOf(input: LimitInput): Promise<Limit> {
  const engine = new ListeningEngine();
  await createLimiter({ engine, limits: [input] }).check({ resource: 'api', subject: 'anyone' });
  const limit = engine.heard?.questions[0]?.limits[0]?.limit;
  if (!limit) throw new Error('the limit is off');
  return limit;
}

class ListeningEngine extends MemoryEngine {
  heard: DecideCall | null = null;

  override decide(call: DecideCall) {
    this.heard = call;
    return super.decide(call);
  }
}
