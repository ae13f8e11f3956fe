import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { LimitInput } from '../core/limit-input.ts';
import { createLimiter } from './create-limiter.ts';
import { concurrency, fixedWindow, quota, tokenBucket } from './limits.ts';
import type { SyncLimiter } from './limiter.ts';

const startUs = Date.UTC(2026, 0, 15, 12) * 1000;
const clock = { nowUs: startUs };
const open: SyncLimiter[] = [];

function limiterOf(...limits: LimitInput[]): SyncLimiter {
  const limiter = createLimiter({ limits, clock: () => clock.nowUs });
  open.push(limiter);
  return limiter;
}

afterEach(async () => {
  clock.nowUs = startUs;
  await Promise.all(open.splice(0).map((limiter) => limiter.close()));
});

const check = { subject: 'ann', resource: 'GET:/orders', tenant: 'acme' };
const window = (name: string, limit: number, more: Partial<LimitInput> = {}): LimitInput =>
  ({ algorithm: 'fixed_window', name, limit, window: '10 s', ...more }) as LimitInput;

describe('what is shown when allowed', () => {
  it('is the limit with the least left for its size', () => {
    const limiter = limiterOf(window('wide', 100), window('narrow', 4), window('other', 10));
    const decision = limiter.checkSync(check);
    expect(decision).toMatchObject({ limit: 4, remaining: 3, mode: 'enforce' });
    expect(decision.limits.map(({ name }) => name)).toEqual(['wide', 'narrow', 'other']);
  });

  it('is an enforced limit before a warning one before a shadow', () => {
    const shadow = window('shadow', 2, { mode: 'shadow' });
    const warn = window('warn', 3, { mode: 'warn' });
    expect(limiterOf(shadow, warn, window('all', 50)).checkSync(check).limit).toBe(50);
    expect(limiterOf(shadow, warn).checkSync(check)).toMatchObject({ limit: 3, mode: 'warn' });
  });

  it('is nothing where no limit applies', () => {
    expect(limiterOf().checkSync(check)).toMatchObject({
      allowed: true,
      limit: null,
      remaining: null,
      resetAt: null,
      retryAfterMs: 0,
      message: 'Allowed.',
      blockedBy: null,
      limits: [],
    });
  });
});

describe('what is shown when refused', () => {
  it('is the limit with the longest wait', () => {
    const limiter = limiterOf(
      window('short', 1, { window: '1 s' }),
      window('long', 1, { window: '1 min' }),
      window('roomy', 9),
    );
    limiter.checkSync(check);
    const refused = limiter.checkSync(check);
    expect(refused.blockedBy).toMatchObject({ limit: 'long', reason: 'exceeded' });
    expect(refused.retryAfterMs).toBe(60_000);
  });

  it('is of two equal waits the one of the wider scope', () => {
    const limiter = limiterOf(
      window('mine', 1),
      window('ours', 1, { per: ['tenant'] }),
      window('here', 1, { per: ['tenant', 'resource'] }),
    );
    limiter.checkSync(check);
    expect(limiter.checkSync(check).blockedBy).toEqual({
      limit: 'ours',
      per: ['tenant'],
      level: 'tenant',
      entity: 'acme',
      reason: 'exceeded',
    });
  });

  it('is impossible before a penalty before exceeded', () => {
    const limits = [
      window('exceeded', 3, { window: '1 day' }),
      window('penalty', 3, { blockFor: '1 s' }),
      window('small', 1, { unit: 'tokens' }),
    ];
    const limiter = limiterOf(...limits);
    limiter.checkSync({ ...check, cost: 3 });
    limiter.checkSync(check);
    expect(limiter.checkSync(check).blockedBy).toMatchObject({ limit: 'penalty' });
    const impossible = limiter.checkSync({ ...check, costs: { tokens: 2 } });
    expect(impossible.blockedBy).toMatchObject({ limit: 'small', reason: 'impossible' });
    expect(impossible.retryAfterMs).toBeNull();
    expect(impossible.message).toContain('ask for less');
  });

  it('is never the guess of a concurrency limit when another limit knows', () => {
    const limiter = limiterOf(
      concurrency({ maxConcurrent: 1, staleAfter: '1 min' }),
      tokenBucket({ capacity: 1, refillPerSecond: 20 }),
    );
    limiter.checkSync(check);
    const refused = limiter.checkSync(check);
    expect(refused.blockedBy?.limit).toBe('token_bucket');
    expect(refused.retryAfterMs).toBe(50);
  });

  it('is never a shadow, which is named as one that would have refused', () => {
    const shadow = window('shadow', 1, { mode: 'shadow' });
    const warn = window('warn', 2, { mode: 'warn' });
    const limiter = limiterOf(shadow, warn, window('all', 3));
    const decisions = [0, 1, 2, 3].map(() => limiter.checkSync(check));
    expect(decisions.map(({ wouldBlock }) => wouldBlock)).toEqual([
      [],
      ['shadow'],
      ['shadow', 'warn'],
      ['shadow', 'warn'],
    ]);
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, true, false]);
    expect(decisions[3]?.blockedBy?.limit).toBe('all');
  });
});

describe('a decision', () => {
  it('is frozen, and what it hands out as well', () => {
    const decision = limiterOf(window('a', 1)).checkSync(check);
    expect(Object.isFrozen(decision)).toBe(true);
    expect(() => Object.assign(decision, { allowed: false })).toThrow(TypeError);
    expect(Object.isFrozen(decision.limits)).toBe(true);
    expect(Object.isFrozen(decision.limits[0])).toBe(true);
    expect(Object.isFrozen(decision.wouldBlock)).toBe(true);
    expect(Object.isFrozen(decision.costs)).toBe(true);
  });

  it('can be destructured, printed and turned into JSON like a plain object', () => {
    const decision = limiterOf(window('a', 5)).checkSync({ ...check, cost: 2 });
    const { allowed, remaining, retryAfterMs, limits } = decision;
    expect({ allowed, remaining, retryAfterMs }).toEqual({
      allowed: true,
      remaining: 3,
      retryAfterMs: 0,
    });
    const json = JSON.parse(JSON.stringify(decision)) as Record<string, unknown>;
    expect(json).toMatchObject({
      allowed: true,
      limit: 5,
      remaining: 3,
      resetAt: startUs / 1e6 + 10,
      retryAfterMs: 0,
      basis: 'exact',
      degradedReason: null,
      cost: 2,
      replayed: false,
      ticket: null,
    });
    expect(json['limits']).toEqual(limits);
    expect(inspect(decision)).toContain('remaining: 3');
  });

  it('says the same for as long as it is kept', () => {
    const limiter = limiterOf(
      { algorithm: 'sliding_window_log', limit: 5, window: '10 s' },
      tokenBucket({ capacity: 5, refillPerSecond: 1 }),
      concurrency({ maxConcurrent: 5, staleAfter: '1 min' }),
      window('w', 5),
    );
    const kept = limiter.checkSync(check);
    const other = limiterOf();
    clock.nowUs += 3_000_000;
    for (let call = 0; call < 4; call += 1) limiter.checkSync(check);
    expect(kept.limits.map(({ used }) => used)).toEqual([1, 1, 1, 1]);
    expect(kept.remaining).toBe(4);
    expect(other.checkSync(check).allowed).toBe(true);
  });

  it('rounds its reset up to whole seconds and its wait not at all', () => {
    const limiter = limiterOf(tokenBucket({ capacity: 1, refill: { tokens: 3, every: '1 s' } }));
    limiter.checkSync(check);
    const refused = limiter.checkSync(check);
    expect(refused.retryAfterMs).toBe(333.334);
    expect(refused.resetAt).toBe(startUs / 1e6 + 1);
  });

  it('names the level of a quota', () => {
    const limiter = limiterOf(quota({ limit: 1, period: 'month', per: ['tenant'] }));
    limiter.checkSync(check);
    const refused = limiter.checkSync(check);
    expect(refused.blockedBy).toMatchObject({ level: 'organization', entity: 'acme' });
    expect(refused.message).toBe('quota allows 1 per month for acme; try again in 16.5 days.');
  });

  it('has an id of its own', () => {
    const limiter = limiterOf(fixedWindow({ limit: 1000, window: '1 s' }));
    const ids = Array.from({ length: 1000 }, () => limiter.checkSync(check).decisionId);
    expect(new Set(ids).size).toBe(1000);
  });
});
