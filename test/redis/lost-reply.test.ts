import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { createLimiter, fixedWindow, fromIoredis, RedisEngine } from 'sluice';
import { openRedis } from '../servers/connect.ts';
import { FaultProxy } from '../support/fault-proxy.ts';

const rounds = 500;
const deadlineMs = 150;
// A busy machine may be late by much; a call that hangs is later by far.
const latestMs = 5_000;
const day = { window: '1 day', align: 'first_request', per: ['subject'] } as const;
const asked = { resource: 'GET:/', subject: 'someone' };

// ioredis sends commands without a reply again after a reconnect unless told not to.
const sendOnce = { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 } as const;

let proxy: FaultProxy;
let redis: Redis;
/** Past the proxy: what the server really holds. */
let direct: Redis;

beforeAll(async () => {
  proxy = await FaultProxy.start(Number(new URL(inject('redisUrl')).port));
  direct = openRedis(inject('redisUrl'));
});

afterAll(async () => {
  direct?.disconnect();
  await proxy?.stop();
});

beforeEach(async () => {
  proxy.fault = { kind: 'pass' };
  redis = openRedis(`redis://127.0.0.1:${proxy.port}`, {
    ...sendOnce,
    retryStrategy: () => 1,
  });
  await redis.ping();
});

afterEach(() => redis.disconnect());

function openLimiters(onStoreFailure: 'open' | 'closed') {
  const options = { prefix: `lost-${randomUUID()}` };
  const limits = [fixedWindow({ limit: 1_000_000, onStoreFailure, ...day })];
  const engine = new RedisEngine(fromIoredis(redis), options);
  const watcher = new RedisEngine(fromIoredis(direct), options);
  // Its own each time where losses are many: after some it would leave the store alone for a while.
  const open = () => createLimiter({ engine, limits, deadlineMs });
  return {
    limiter: open(),
    open,
    used: async (subject = asked.subject) => {
      const check = createLimiter({ engine: watcher, limits, deadlineMs: 20_000 });
      const decision = await check.check({ ...asked, subject, cost: 0 });
      expect(decision.basis).toBe('exact');
      return decision.limits[0]?.used;
    },
  };
}

async function timed<T>(
  work: Promise<T>,
): Promise<{ readonly result: T; readonly tookMs: number }> {
  const startMs = performance.now();
  const result = await work;
  return { result, tookMs: performance.now() - startMs };
}

test.each([
  { onStoreFailure: 'open', allowed: true, basis: 'fail_open' },
  { onStoreFailure: 'closed', allowed: false, basis: 'fail_closed' },
] as const)(
  'a swallowed reply is charged once and answered $basis in time',
  async ({ onStoreFailure, allowed, basis }) => {
    const { limiter, used } = openLimiters(onStoreFailure);
    expect((await limiter.check(asked)).basis).toBe('exact');
    proxy.fault = { kind: 'swallow_replies' };
    const { result, tookMs } = await timed(limiter.check(asked));
    expect(result).toMatchObject({ allowed, basis });
    expect(tookMs).toBeGreaterThanOrEqual(deadlineMs - 5);
    expect(tookMs).toBeLessThan(latestMs);
    expect(await used()).toBe(2);
  },
);

test('a reply lost in a reset is charged once: the call is not sent again', async () => {
  const { limiter, open, used } = openLimiters('open');
  await limiter.check(asked);
  for (let round = 0; round < 20; round += 1) {
    proxy.fault = { kind: 'reset_on_reply' };
    const { result, tookMs } = await timed(open().check(asked));
    expect(result).toMatchObject({ allowed: true, basis: 'fail_open' });
    expect(tookMs).toBeLessThan(latestMs);
    proxy.fault = { kind: 'pass' };
    await redis.ping().catch(() => {});
    await ready();
  }
  expect(await used()).toBe(21);
});

test('a reply later than the deadline counts as lost, and is charged once', async () => {
  const { limiter, used } = openLimiters('open');
  await limiter.check(asked);
  proxy.fault = { kind: 'delay', ms: 3 * deadlineMs };
  const late = await limiter.check(asked);
  expect(late.basis).toBe('fail_open');
  expect(late.degradedReason).toBe('timeout');
  expect(await used()).toBe(2);
});

test('a request that never arrives is not charged', async () => {
  const { limiter, used } = openLimiters('closed');
  await limiter.check(asked);
  proxy.fault = { kind: 'swallow' };
  expect(await limiter.check(asked)).toMatchObject({ allowed: false, basis: 'fail_closed' });
  expect(await used()).toBe(1);
});

test('under an idempotency key a retry after a lost reply is charged once', async () => {
  const { limiter, open, used } = openLimiters('open');
  // The script must be known by now: a lost NOSCRIPT would be a call that did not run.
  await limiter.check({ ...asked, subject: 'warm-up', idempotencyKey: 'warm-up-key' });
  let lost = 0;
  for (let round = 0; round < rounds; round += 1) {
    const check = { ...asked, idempotencyKey: `order-${round}-${'x'.repeat(8)}` };
    proxy.fault = { kind: 'reset_on_reply' };
    const asking = open();
    const first = await asking.check(check);
    if (first.basis === 'fail_open') lost += 1;
    proxy.fault = { kind: 'pass' };
    await ready();
    let again = await asking.check(check);
    // On a busy machine the retry itself may be late; then it is tried again, as a caller would.
    while (again.basis !== 'exact') again = await asking.check(check);
    expect([again.allowed, again.replayed]).toEqual([true, true]);
  }
  expect(lost).toBe(rounds);
  expect(await used()).toBe(rounds);
});

/** Until the client is back on a connection that works. */
async function ready(): Promise<void> {
  while (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve));
}
