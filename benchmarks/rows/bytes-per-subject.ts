import type { Redis } from 'ioredis';
import { createLimiter, tokenBucket, type LimitInput } from 'sluice';
import type { BenchmarkServer } from '../server.ts';
import type { Line } from '../table.ts';

/** As people write them; with the last four a token takes no whole number of microseconds. */
const rates: Readonly<Record<string, LimitInput>> = {
  '1/s': tokenBucket({ capacity: 10, refillPerSecond: 1 }),
  '10/s': tokenBucket({ capacity: 100, refillPerSecond: 10 }),
  '100/s': tokenBucket({ capacity: 1_000, refillPerSecond: 100 }),
  '1000/s': tokenBucket({ capacity: 1_000, refillPerSecond: 1_000 }),
  '100/min': tokenBucket({ capacity: 100, refill: { tokens: 100, every: '1 min' } }),
  '5000/h': tokenBucket({ capacity: 5_000, refill: { tokens: 5_000, every: '1 hour' } }),
  '1.5/s': tokenBucket({ capacity: 10, refillPerSecond: 1.5 }),
  '30/s': tokenBucket({ capacity: 60, refillPerSecond: 30 }),
  '300/s': tokenBucket({ capacity: 300, refillPerSecond: 300 }),
  '1500/s': tokenBucket({ capacity: 3_000, refillPerSecond: 1_500 }),
};

const subjectsPerRate = 20;

/** Row 8: the largest counter of any of these rates, against a number with an expiry. */
export async function measureBytes({ redis }: BenchmarkServer): Promise<Line[]> {
  let worst = { rate: '', bytes: 0, plain: 1 };
  for (const [rate, limit] of Object.entries(rates)) {
    const seen = await measureRate(redis, limit);
    if (seen.bytes / seen.plain > worst.bytes / worst.plain) worst = { rate, ...seen };
  }
  const sizes = { serverUs: null, clientUs: null };
  return [
    {
      row: 8,
      what: `bytes of a token bucket, worst of ${Object.keys(rates).length} rates (${worst.rate})`,
      against: 'counter with expiry',
      ratio: worst.bytes / worst.plain,
      toReach: { atMost: 1.1 },
      subject: { amount: `${worst.bytes} B`, ...sizes },
      baseline: { amount: `${worst.plain} B`, ...sizes },
    },
  ];
}

/** Several subjects, for the size depends on when they call; the largest counts. */
async function measureRate(redis: Redis, limit: LimitInput) {
  await redis.flushall();
  const limiter = createLimiter({ redis, limits: [limit] });
  let bytes = 0;
  let plain = Infinity;
  for (let at = 0; at < subjectsPerRate; at += 1) {
    await redis.flushall();
    await limiter.check({ resource: 'api', subject: `user-${at}`, cost: 1 + (at % 7) });
    const counter = longest(await redis.keys('*'));
    // A fast bucket is full again, and gone, within milliseconds.
    bytes = Math.max(bytes, await sizeOf(redis, counter));
    const beside = `x${counter.slice(1)}`;
    await redis.set(beside, '12345', 'PX', 600_000);
    plain = Math.min(plain, await sizeOf(redis, beside));
  }
  if (bytes === 0) throw new Error('no counter lived long enough to be measured');
  return { bytes, plain };
}

/** Beside the counter there is what the tenant may still make, under a shorter name. */
function longest(redisKeys: readonly string[]): string {
  return redisKeys.reduce((a, b) => (b.length > a.length ? b : a), '');
}

async function sizeOf(redis: Redis, redisKey: string): Promise<number> {
  return (await redis.memory('USAGE', redisKey)) ?? 0;
}
