import { expect, test } from 'vitest';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import { bound, limitOf, question } from '../support/limits.ts';
import { keysOf, openStore } from '../support/store.ts';

const rates: readonly [string, Partial<LimitInput>][] = [
  ...[1, 2, 5, 10, 20, 50, 100, 3, 7, 0.5, 0.1, 1500].map(
    (refillPerSecond): [string, Partial<LimitInput>] => [
      `${refillPerSecond} per second`,
      { refillPerSecond },
    ],
  ),
  ['100 per minute', { refill: { tokens: 100, every: '1 min' } }],
];

test.each(rates)('a bucket of %s takes no more memory than a bare counter', async (_name, rate) => {
  const store = openStore({ allowances: null });
  const { engine, redis, prefix } = store;
  const limit = limitOf({ algorithm: 'token_bucket', capacity: 100, ...rate } as LimitInput);
  const tenant = { id: 'small' };
  // Some times and costs: no representation may grow with what was asked.
  for (const cost of [1, 2, 3, 5, 7]) {
    await engine.decide({ tenant, questions: [question([bound(limit, cost)])] });
    const [key = ''] = await keysOf(redis, prefix);
    const plain = `x${key.slice(1)}`;
    await redis.set(plain, 1, 'PX', 60_000);
    const [ours, counter] = await Promise.all([
      redis.memory('USAGE', key),
      redis.memory('USAGE', plain),
    ]);
    await redis.del(plain);
    expect(Number(ours) / Number(counter)).toBeLessThanOrEqual(1.1);
  }
  store.close();
});
