import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { bound, limitOf } from '../support/limits.ts';
import { keysOf, openStore } from '../support/store.ts';

test('holds that outlive their counter count again, and what ends takes only itself off', async () => {
  const store = openStore();
  const { engine, redis, prefix } = store;
  const tenant = { id: 'lost' };
  const limit = limitOf({ algorithm: 'fixed_window', limit: 10, window: '1 day' });
  const reserve = (id: string, cost: number, ttlMs: number) =>
    engine.decide({
      tenant,
      questions: [
        { id, limits: [bound(limit, cost)], peek: false, reserve: { ttlMs, onExpiry: 'refund' } },
      ],
    });
  const held = async () => (await engine.inspect(tenant, [bound(limit)])).readings[0]?.held;

  await reserve('old', 4, 1500);
  const keys = await keysOf(redis, prefix);
  const counters = keys.filter((key) => keys.includes(`${key}h`));
  expect(counters).toHaveLength(1);
  await redis.del(counters);
  await reserve('new', 3, 60_000);
  expect(await held()).toBe(7);
  await sleep(1600);
  expect(await held()).toBe(3);
  store.close();
});
