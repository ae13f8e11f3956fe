import { afterEach, describe, expect, it } from 'vitest';
import { InvalidInput } from '../core/errors.ts';
import { createLimiter, type MemoryLimiterOptions } from './create-limiter.ts';
import { fixedWindow, slidingWindow, tokenBucket } from './limits.ts';
import type { Decision } from '../core/decision.ts';
import type { Limiter } from './limiter.ts';

const open: Limiter[] = [];
const clock = { nowUs: 1_700_000_000_000_000 };

function limiterOf(options: MemoryLimiterOptions) {
  const limiter = createLimiter({ clock: () => clock.nowUs, ...options });
  open.push(limiter);
  return limiter;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((limiter) => limiter.close()));
});

const check = { subject: 'ann', resource: 'GET:/orders' };
const five = fixedWindow({ limit: 5, window: '10 s' });

describe('a limiter in process', () => {
  it('works in five lines', async () => {
    const limiter = createLimiter({ limits: [tokenBucket({ capacity: 2, refillPerSecond: 1 })] });
    open.push(limiter);
    const decisions = [];
    for (let call = 0; call < 3; call += 1) decisions.push(await limiter.check(check));
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, false]);
    expect(decisions[2]?.retryAfterMs).toBeGreaterThan(0);
  });

  it('decides at once, and the same as when awaited', async () => {
    const limiter = limiterOf({ limits: [five] });
    expect(limiter.checkSync(check).remaining).toBe(4);
    expect((await limiter.check(check)).remaining).toBe(3);
  });

  it('refunds what a decision charged, or a part, once', async () => {
    const limiter = limiterOf({ limits: [five] });
    const whole = limiter.checkSync({ ...check, cost: 3 });
    const part = limiter.checkSync({ ...check, cost: 2 });
    expect(await limiter.refund(whole)).toBe(true);
    expect(await limiter.refund(whole)).toBe(false);
    expect(await limiter.refund(part, { cost: 1 })).toBe(true);
    expect(limiter.checkSync({ ...check, cost: 0 }).remaining).toBe(4);
  });

  it('refunds nothing of a reservation, which is settled instead', async () => {
    const limiter = createLimiter({ limits: [fixedWindow({ limit: 10, window: '1 h' })] });
    await limiter.check({ ...check, cost: 5 });
    const reserved = await limiter.check({ ...check, cost: 5, reserve: { ttlMs: 60_000 } });
    expect(await limiter.refund(reserved)).toBe(false);
    expect((await limiter.check({ ...check, cost: 1 })).allowed).toBe(false);
  });

  it('refunds nothing of a refusal, and never more than was charged', async () => {
    const limiter = limiterOf({ limits: [five] });
    const charged = limiter.checkSync({ ...check, cost: 2 });
    limiter.checkSync({ ...check, cost: 3 });
    const refused = limiter.checkSync(check);
    expect(await limiter.refund(refused)).toBe(false);
    expect(await limiter.refund(charged, { cost: 1000 })).toBe(true);
    expect(limiter.checkSync({ ...check, cost: 0 }).remaining).toBe(2);
    await expect(limiter.refund(charged.toJSON() as unknown as Decision)).rejects.toThrow(
      InvalidInput,
    );
  });

  it('settles a reservation by unit', async () => {
    const tokens = fixedWindow({ name: 'tokens', unit: 'tokens', limit: 100, window: '10 s' });
    const limiter = limiterOf({ limits: [five, tokens] });
    const asked = { ...check, costs: { tokens: 60 }, reserve: { ttlMs: 1000 } };
    const { reservation } = limiter.checkSync(asked);
    const real = { costs: { tokens: 10 } };
    expect(await limiter.settle(reservation?.id ?? '', real)).toMatchObject({ kind: 'settled' });
    const { limits } = limiter.checkSync({ ...check, cost: 0 });
    expect(limits.map(({ used }) => used)).toEqual([1, 10]);
  });

  it('forgets a subject when asked to', async () => {
    const limiter = limiterOf({ limits: [five] });
    limiter.checkSync({ ...check, cost: 5 });
    await limiter.reset(check);
    expect(limiter.checkSync({ ...check, cost: 5 }).allowed).toBe(true);
  });

  it('answers a repeated key as the first time, and throws when the question is another', async () => {
    const limiter = limiterOf({ limits: [five] });
    const keyed = { ...check, idempotencyKey: 'a-key-of-mine' };
    const first = limiter.checkSync(keyed);
    const again = limiter.checkSync(keyed);
    expect(again).toMatchObject({ replayed: true, decisionId: first.decisionId, remaining: 4 });
    expect(() => limiter.checkSync({ ...keyed, cost: 2 })).toThrow('used with another question');
    await expect(limiter.check({ ...keyed, cost: 2 })).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
    expect(limiter.checkSync({ ...check, cost: 0 }).remaining).toBe(4);
  });

  it('has newcomers share a counter beyond its bound, and says so', () => {
    const limiter = limiterOf({ limits: [five], countersMax: 2 });
    for (const subject of ['a', 'b']) limiter.checkSync({ ...check, subject });
    const late = limiter.checkSync({ ...check, subject: 'c', cost: 5 });
    expect(late).toMatchObject({ allowed: true, basis: 'local', degradedReason: 'overflow' });
    expect(limiter.checkSync({ ...check, subject: 'd' }).allowed).toBe(false);
  });
});

describe('options', () => {
  it.each<[string, object]>([
    ['limits', {}],
    ['limits', { limits: 'all' }],
    ['limits', { limits: Array.from({ length: 65 }, () => five) }],
    ['limit', { limit: [five] }],
    ['limits[1].name', { limits: [five, five] }],
    ['limits[0].limit', { limits: [{ ...five, limit: 0 }] }],
    ['name', { limits: [five], name: 'a b' }],
    ['countersMax', { limits: [five], countersMax: 0 }],
    ['redis', { limits: [five], redis: {} }],
    ['redis', { limits: [five], redis: undefined }],
    ['deadlineMs', { limits: [five], engine: { decide() {} }, deadlineMs: 0 }],
  ])('that are wrong are named: %s', (field, options) => {
    expect(() => createLimiter(options as MemoryLimiterOptions)).toThrow(InvalidInput);
    expect(() => createLimiter(options as MemoryLimiterOptions)).toThrow(`${field}: `);
  });

  it('may turn a limit off, and may have none at all', () => {
    const limiter = limiterOf({ limits: [{ ...five, mode: 'off' }] });
    expect(limiter.checkSync({ ...check, cost: 1000 })).toMatchObject({
      allowed: true,
      limit: null,
    });
    expect(limiterOf({ limits: [] }).checkSync(check).allowed).toBe(true);
  });

  it('take 64 limits', () => {
    const limits = Array.from({ length: 64 }, (_, at) =>
      slidingWindow({ name: `l${at}`, limit: 5, window: '1 s' }),
    );
    expect(limiterOf({ limits }).checkSync(check).limits).toHaveLength(64);
  });
});
