import { expect, test } from 'vitest';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import { bound, limitOf, question } from '../support/limits.ts';
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

/** What a counter is kept longer than it counts, and what may pass between two looks. */
const slackMs = 60_000;

type Ending = { readonly startUs: number; readonly endUs?: number; readonly windowUs?: number };

const lasting: readonly { readonly name: string; readonly of: (hours: number) => LimitInput }[] = [
  {
    name: 'a window',
    of: (hours) => ({
      algorithm: 'fixed_window',
      name: 'w',
      limit: 9,
      window: `${hours} h`,
      align: 'first_request',
    }),
  },
  {
    name: 'a sliding counter',
    of: (hours) => ({
      algorithm: 'sliding_window_counter',
      name: 'c',
      limit: 9,
      window: `${hours} h`,
    }),
  },
];

test.each(lasting)(
  '$name lasts as long as it counts, also when its length is changed',
  async (one) => {
    const store = openStore({});
    const { engine, redis, prefix } = store;
    const tenant = { id: 'lasting' };
    for (const hours of [300, 300, 300, 100, 100, 500, 500]) {
      const questions = [question([bound(limitOf(one.of(hours)))])];
      const result = await engine.decide({ tenant, questions });
      const answer = result.kind === 'answered' ? result.answers[0] : undefined;
      const [reading] = answer?.kind === 'decided' ? answer.readings : [];
      if (answer?.kind !== 'decided' || !reading) throw new Error('not decided');
      const { startUs, endUs, windowUs = 0 } = reading.state as Ending;
      const countsMs = ((endUs ?? startUs + 2 * windowUs) - answer.nowUs) / 1000;
      // The other key is the tenant's allowance, which is over in an hour.
      const left = await Promise.all((await keysOf(redis, prefix)).map((key) => redis.pttl(key)));
      const overMs = Math.max(...left) - countsMs;
      const fits = overMs > 0 && overMs < slackMs;
      expect({ hours, overMs, fits }).toEqual({ hours, overMs, fits: true });
    }
    store.close();
  },
);
