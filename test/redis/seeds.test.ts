import { expect, it } from 'vitest';
import { periodAt } from '../../limiter/src/core/calendar/index.ts';
import type { QuotaSeed } from '../../limiter/src/core/engine.ts';
import type { RedisClient } from '../../limiter/src/engines/redis/index.ts';
import { bound, limitOf } from '../support/limits.ts';
import { keysOf, openStore } from '../support/store.ts';

const tenant = { id: 'seeded' };
const limit = limitOf({ algorithm: 'quota', limit: 1000, period: 'year' });
const everyone = limitOf({ algorithm: 'quota', limit: 1000, period: 'year', per: ['global'] });

function thisYear() {
  if (limit.numbers.algorithm !== 'quota') throw new Error('not a quota');
  return periodAt(limit.numbers.calendar, Date.now() * 1000);
}

it('many seeds come in calls that keep nobody waiting, and end with their period', async () => {
  const sizes: number[] = [];
  let longestMs = 0;
  const wrap = (client: RedisClient): RedisClient => ({
    evalsha: async (sha, keys, args, name) => {
      sizes.push(keys.length);
      const startMs = performance.now();
      const reply = await client.evalsha(sha, keys, args, name);
      longestMs = Math.max(longestMs, performance.now() - startMs);
      return reply;
    },
    eval: (source, keys, args, name) => client.eval(source, keys, args, name),
  });
  const store = openStore({ wrap });
  const { engine, redis, prefix } = store;
  const period = thisYear();
  const count = 100_000;
  const seeds: QuotaSeed[] = Array.from({ length: count }, (_, at) => ({
    counter: engine.counterName(bound(limit, 1, [`subject-${at}`])),
    period,
    used: 1 + (at % 900),
  }));
  const global = { counter: engine.counterName(bound(everyone, 1, [])), global: true, period };
  const startMs = performance.now();
  await engine.seed(tenant, [...seeds, { ...global, used: 7 }]);
  console.log(
    `seeds        ${count} in ${Math.round(performance.now() - startMs)} ms, the longest call ${longestMs.toFixed(1)} ms`,
  );
  expect(Math.max(...sizes)).toBe(200);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(count + 1);

  const seen = [0, 199, 200, 99_999].map((at) => bound(limit, 1, [`subject-${at}`]));
  const { readings } = await engine.inspect(tenant, [...seen, bound(everyone, 1, [])]);
  expect(readings.map(({ state }) => (state as { used?: number }).used)).toEqual([
    1, 200, 201, 100, 7,
  ]);
  const keys = await keysOf(redis, prefix);
  expect(keys).toHaveLength(count + 1);
  for (const key of keys.slice(0, 200)) {
    const endMs = Date.now() + (await redis.pttl(key));
    expect(Math.abs(endMs - period.endUs / 1000)).toBeLessThan(10_000);
  }
  await redis.unlink(...keys.slice(0, 50_000));
  await redis.unlink(...keys.slice(50_000));
  store.close();
});
