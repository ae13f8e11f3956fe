import { expect, test } from 'vitest';
import { keysOf, openStore, randomFrom } from '../support/store.ts';
import { runEveryVerb, runWorkload } from '../support/workload.ts';

const rounds = 20;
const longestMs = 367 * 86_400_000;

test.each([
  { name: 'with room', allowances: undefined },
  {
    name: 'with newcomers sharing counters',
    allowances: { countersPerHour: 15, recordsPerHour: 5 },
  },
])('after any work $name, every key has an end', async ({ allowances }) => {
  const store = openStore(allowances ? { allowances } : {});
  const { engine, redis, prefix } = store;
  const tenant = { id: 'expiring' };
  await runEveryVerb({ engine, tenant, random: randomFrom(0) });
  const seen = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    await runWorkload({ engine, tenant, random: randomFrom(round), steps: 100 });
    for (const key of await keysOf(redis, prefix)) {
      seen.add(key);
      const leftMs = await redis.pttl(key);
      // -2 is a key that ended between the two looks at it; -1 one that never would.
      if (leftMs === -2) continue;
      const ends = leftMs >= 0 && leftMs < longestMs;
      expect({ key, round, leftMs, ends }).toEqual({ key, round, leftMs, ends: true });
    }
  }
  expect(seen.size).toBeGreaterThan(50);
  store.close();
});
