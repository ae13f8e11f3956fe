import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { StoreFailure } from 'sluice';
import { MemoryShield, parseShieldOptions, Shield, type ShieldStore } from 'sluice/shield';
import { fromIoredis, RedisShield } from '../../limiter/src/engines/redis/index.ts';
import { openRedis } from '../servers/connect.ts';

let redis: Redis;
beforeAll(() => {
  redis = openRedis(inject('redisUrl'));
});
afterAll(() => redis.disconnect());

const answer = { status: 201, headers: { 'content-type': 'text/plain' }, body: 'b2s=' };
const lease = { token: 'one', leaseMs: 60_000 };
const fingerprint = 'same';
const keepMs = 60_000;

describe.each([
  ['memory', () => new MemoryShield()],
  ['redis', () => new RedisShield(fromIoredis(redis), { secret: 'test' })],
] as const)('a store of answers in %s', (_name, open: () => ShieldStore) => {
  const refOf = () => ({
    tenant: `tenant ${randomUUID()}`,
    caller: 'user:42',
    key: 'order-0001',
    fingerprint,
  });

  it('lets one begin, and keeps what it answered', async () => {
    const [store, ref] = [open(), refOf()];
    expect(await store.begin(ref, lease)).toEqual({ kind: 'first' });
    const second = await store.begin(ref, { ...lease, token: 'two' });
    expect(second).toEqual({ kind: 'running', leftMs: expect.any(Number) as number });
    expect(await store.finish(ref, { token: 'two', answer, keepMs })).toBe(false);
    expect(await store.finish(ref, { token: 'one', answer, keepMs })).toBe(true);
    expect(await store.begin(ref, { ...lease, token: 'three' })).toEqual({ kind: 'kept', answer });
    expect(await store.begin({ ...ref, fingerprint: 'other' }, lease)).toEqual({
      kind: 'conflict',
    });
    expect(await store.renew(ref, lease)).toBe(false);
  });

  it('tells tenants, callers and keys apart, however they are spelled', async () => {
    const [store, ref] = [open(), refOf()];
    await store.begin(ref, lease);
    for (const other of [
      { ...ref, tenant: `${ref.tenant}x` },
      { ...ref, caller: 'user:42order', key: '-0001' },
      { ...ref, key: 'order-0002' },
    ]) {
      expect(await store.begin(other, lease)).toEqual({ kind: 'first' });
    }
  });

  it('lets the next one run after a failure, for whoever has the lease alone', async () => {
    const [store, ref] = [open(), refOf()];
    await store.begin(ref, lease);
    await store.abandon(ref, 'stranger');
    expect((await store.begin(ref, { ...lease, token: 'two' })).kind).toBe('running');
    expect(await store.renew(ref, lease)).toBe(true);
    await store.abandon(ref, 'one');
    expect((await store.begin(ref, { ...lease, token: 'two' })).kind).toBe('first');
  });

  it('lets one of many begin', async () => {
    const [store, ref] = [open(), refOf()];
    const begun = await Promise.all(
      Array.from({ length: 50 }, (_, at) => store.begin(ref, { ...lease, token: `t${at}` })),
    );
    expect(begun.filter(({ kind }) => kind === 'first')).toHaveLength(1);
    expect(begun.filter(({ kind }) => kind === 'running')).toHaveLength(49);
  });

  it('gives up on who died', async () => {
    const [store, ref] = [open(), refOf()];
    await store.begin(ref, { ...lease, leaseMs: 1 });
    await expect
      .poll(async () => (await store.begin(ref, { ...lease, token: 'two' })).kind)
      .toBe('first');
    expect(await store.finish(ref, { token: 'one', answer, keepMs })).toBe(false);
  });
});

describe('in Redis', () => {
  it('every record expires by itself, and names nobody', async () => {
    const before = new Set(await redis.keys('*'));
    const store = new RedisShield(fromIoredis(redis), { secret: 'test', prefix: 'shieldtest' });
    const ref = { tenant: 'acme', caller: 'user:42', key: 'order-0001', fingerprint };
    await store.begin(ref, lease);
    const made = (await redis.keys('shieldtest*')).filter((key) => !before.has(key));
    expect(made).toHaveLength(1);
    expect(made[0]).not.toMatch(/acme|user|order/);
    expect(await redis.pttl(made[0] ?? '')).toBeGreaterThan(0);
    await store.finish(ref, { token: 'one', answer, keepMs });
    expect(await redis.pttl(made[0] ?? '')).toBeGreaterThan(0);
    await redis.del(...made);
  });
});

describe('in memory', () => {
  it('there is room for so much, and what does not fit is not kept', async () => {
    let nowMs = 0;
    const store = new MemoryShield({ recordsMax: 2, bytesMax: 60, nowMs: () => nowMs });
    const ref = (key: string) => ({ tenant: 't', caller: 'c', key, fingerprint });
    const large = { ...answer, body: 'x'.repeat(100) };
    await store.begin(ref('a'), lease);
    expect(await store.finish(ref('a'), { token: 'one', answer: large, keepMs })).toBe(false);
    await store.begin(ref('b'), lease);
    await store.begin(ref('c'), lease);
    expect(await store.begin(ref('d'), lease)).toEqual({ kind: 'first' });
    // Unshielded, for there was no room: nobody is shut out by a flood.
    expect(await store.begin(ref('d'), lease)).toEqual({ kind: 'first' });
    nowMs = lease.leaseMs;
    await store.begin(ref('d'), lease);
    expect((await store.begin(ref('d'), lease)).kind).toBe('running');
  });
});

describe('a store that fails', () => {
  const gone = () => Promise.reject(new StoreFailure('gone'));
  const store: ShieldStore = { begin: gone, renew: gone, finish: gone, abandon: gone };
  const enter = (onStoreFailure: 'open' | 'closed') =>
    new Shield(parseShieldOptions({ store, onStoreFailure }, () => store)).enter({
      tenant: 't',
      caller: 'c',
      key: 'k',
      fingerprint,
    });

  it('lets handlers run unshielded, or nobody, as declared', async () => {
    expect(await enter('open')).toEqual({ kind: 'run', running: null });
    expect(await enter('closed')).toEqual({ kind: 'unavailable' });
  });
});
