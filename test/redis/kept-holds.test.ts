import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Reserve } from '../../limiter/src/core/engine.ts';
import { rated, ratedNames } from '../conformance/algorithms.ts';
import { bound, limitOf } from '../support/limits.ts';
import { keysOf, openStore, type Store } from '../support/store.ts';

let store: Store;

beforeAll(() => {
  store = openStore();
});

afterAll(() => store?.close());

/** How long Redis keeps what is held, and the counter it is held of. */
async function livesOf(id: string, reserve: Reserve, name: (typeof ratedNames)[number]) {
  const { engine, redis, prefix } = store;
  const tenant = { id: `${id}-${name}` };
  const before = new Set(await keysOf(redis, prefix));
  const limits = [bound(limitOf({ ...rated[name], ...longer[name] }), 2)];
  await engine.decide({ tenant, questions: [{ id, limits, peek: false, reserve }] });
  const made = (await keysOf(redis, prefix)).filter((key) => !before.has(key));
  const holds = made.find((key) => made.includes(key.slice(0, -1)));
  if (holds === undefined) throw new Error('nothing is held');
  const lives = async () => ({
    holdsMs: await redis.pttl(holds),
    counterMs: await redis.pttl(holds.slice(0, -1)),
  });
  return { tenant, lives };
}

/** So that a counter lives for hours, whatever the time of day. */
const longer = {
  token_bucket: { refillPerSecond: 0.0001 },
  fixed_window: { window: '3650 days' },
  first_request_window: { window: '1 day' },
  sliding_window_log: { window: '1 day' },
  sliding_window_counter: { window: '1 day' },
  quota: { period: 'year' },
} as const;

test.each(ratedNames)(
  'what is to be kept of a %s is there as long as its counter',
  async (name) => {
    const keep = { ttlMs: 5, onExpiry: 'keep' } as const;
    const { lives } = await livesOf('kept', keep, name);
    const { holdsMs, counterMs } = await lives();
    expect(counterMs).toBeGreaterThan(60_000);
    // Read one after the other.
    expect(holdsMs).toBeGreaterThanOrEqual(counterMs - 1);
  },
);

test.each(ratedNames)('and so is what is held on to of a %s', async (name) => {
  const { tenant, lives } = await livesOf('renewed', { ttlMs: 60_000, onExpiry: 'keep' }, name);
  const beat = { reservationId: 'renewed', ttlMs: 3_600_000 };
  expect(await store.engine.heartbeat(tenant, beat)).toMatchObject({ kind: 'held' });
  const { holdsMs, counterMs } = await lives();
  expect(counterMs).toBeGreaterThan(3_600_000);
  expect(holdsMs).toBeGreaterThanOrEqual(counterMs - 1);
});

test('what is to be given back goes by itself', async () => {
  const { lives } = await livesOf('refunded', { ttlMs: 5, onExpiry: 'refund' }, 'quota');
  expect((await lives()).holdsMs).toBeLessThanOrEqual(1005);
});
