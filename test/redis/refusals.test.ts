import { expect, test } from 'vitest';
import type { BoundLimit } from '../../limiter/src/core/engine.ts';
import { Keys } from '../../limiter/src/engines/redis/keys.ts';
import { limitOf, question } from '../support/limits.ts';
import { dumpOf, openStore, pick, randomFrom } from '../support/store.ts';

// Windows that outlast the test: what changes here changes by a write, not by time.
const slow = [
  limitOf({
    algorithm: 'token_bucket',
    name: 'a',
    capacity: 40,
    refill: { tokens: 1, every: '1 h' },
  }),
  limitOf({
    algorithm: 'token_bucket',
    name: 'b',
    capacity: 40,
    refill: { tokens: 7, every: '9 h' },
  }),
  limitOf({ algorithm: 'fixed_window', name: 'c', limit: 40, window: '365 days' }),
  limitOf({
    algorithm: 'fixed_window',
    name: 'd',
    limit: 40,
    window: '9 h',
    align: 'first_request',
  }),
  limitOf({ algorithm: 'sliding_window_log', name: 'e', limit: 40, window: '9 h' }),
  limitOf({ algorithm: 'sliding_window_counter', name: 'f', limit: 40, window: '365 days' }),
  limitOf({ algorithm: 'concurrency', name: 'g', maxConcurrent: 4, staleAfter: '9 h' }),
  limitOf({ algorithm: 'quota', name: 'h', limit: 40, period: 'year' }),
  // Of all subjects and tenants together.
  limitOf({
    algorithm: 'token_bucket',
    name: 'i',
    capacity: 400,
    refill: { tokens: 1, every: '1 h' },
    per: ['global', 'attributes.who'],
  }),
  limitOf({
    algorithm: 'sliding_window_log',
    name: 'j',
    limit: 400,
    window: '9 h',
    per: ['global', 'attributes.who'],
  }),
];
const tight = limitOf({ algorithm: 'fixed_window', name: 'full', limit: 1, window: '365 days' });
const tightForAll = limitOf({
  algorithm: 'fixed_window',
  name: 'full-for-all',
  limit: 1,
  window: '365 days',
  per: ['global', 'attributes.who'],
});
const punishing = limitOf({
  algorithm: 'fixed_window',
  name: 'punishing',
  limit: 1,
  window: '365 days',
  blockFor: '9 h',
  blockGrowth: 2,
});
const watching = slow.map((limit) => ({
  ...limit,
  mode: 'shadow' as const,
  enforced: false,
  counterId: `${limit.counterId} shadow`,
}));

test('ten thousand refusals leave every enforced counter as it was, byte for byte', async () => {
  const store = openStore();
  const { engine, redis, prefix } = store;
  const tenant = { id: 'refused' };
  const random = randomFrom(11);
  const ask = async (limits: readonly BoundLimit[], more = {}) => {
    const result = await engine.decide({ tenant, questions: [question(limits, more)] });
    const answer = result.kind === 'answered' ? result.answers[0] : undefined;
    if (answer?.kind !== 'decided') throw new Error('not decided');
    return answer.allowed;
  };
  const subjects = Array.from({ length: 5 }, (_, at) => [`subject-${at}`]);
  for (const parts of subjects) {
    for (const limit of [...slow, ...watching]) {
      expect(await ask([{ limit, parts, cost: 3 }])).toBe(true);
    }
    for (const limit of [tight, tightForAll, punishing]) {
      expect(await ask([{ limit, parts, cost: 1 }])).toBe(true);
    }
    expect(await ask([{ limit: punishing, parts, cost: 1 }])).toBe(false);
    for (const limit of slow.slice(0, 3)) {
      const reserve = { ttlMs: 3_600_000, onExpiry: 'refund' };
      expect(await ask([{ limit, parts, cost: 2 }], { reserve })).toBe(true);
    }
  }
  const keys = new Keys({ prefix, secret: '' });
  const mayChange = new Set([`${keys.tenant(tenant)}u`]);
  for (const parts of subjects) {
    for (const limit of watching) {
      mayChange.add(keys.counterOf(keys.tenant(tenant), { limit, parts, cost: 0 }));
    }
    const punished = keys.tenant(tenant) + keys.counter({ limit: punishing, parts, cost: 0 });
    mayChange.add(`${punished}p`);
  }

  const before = await dumpOf(redis, prefix);
  let refused = 0;
  const refuseOnce = async () => {
    const parts = pick(random, subjects);
    const others = slow.filter(() => random() < 0.4);
    const shadows = watching.filter(() => random() < 0.2);
    const limits = [...others, ...shadows, pick(random, [tight, tightForAll, punishing])];
    const asked = limits
      .map((limit) => ({ limit, parts, cost: 1 + Math.floor(random() * 3) }))
      .toSorted(() => random() - 0.5);
    const allowed = await ask(asked, {
      ledgerLabel: random() < 0.5 ? 'plan.1' : undefined,
      idempotency:
        random() < 0.2
          ? { scope: 's', key: `key-${random()}`, fingerprint: 'f', ttlMs: 60_000 }
          : undefined,
      reserve: random() < 0.2 ? { ttlMs: 60_000, onExpiry: 'keep' } : undefined,
    });
    if (!allowed) refused += 1;
  };
  for (let round = 0; round < 200; round += 1) {
    await Promise.all(Array.from({ length: 50 }, refuseOnce));
  }
  expect(refused).toBe(10_000);

  const after = await dumpOf(redis, prefix);
  const changed = [...after].filter(([key, value]) => before.get(key) !== value);
  expect(changed.map(([key]) => key).filter((key) => !mayChange.has(key))).toEqual([]);
  expect([...before.keys()].filter((key) => !after.has(key))).toEqual([]);
  // Shadow limits and the penalty did move, or the comparison shows nothing.
  expect(changed.length).toBeGreaterThan(5);
  store.close();
});
