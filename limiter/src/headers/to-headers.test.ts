import { afterEach, describe, expect, it } from 'vitest';
import type { Check } from '../core/check.ts';
import type { Decision } from '../core/decision.ts';
import { StoreFailure } from '../core/errors.ts';
import type { LimitInput } from '../core/limit-input.ts';
import { createLimiter } from '../limiter/create-limiter.ts';
import type { Limiter, SyncLimiter } from '../limiter/limiter.ts';
import { fillHeaders, headerProfiles, toHeaders, type HeaderOptions } from './to-headers.ts';

const startUs = Date.UTC(2026, 8, 15, 12) * 1000;
const clock = { nowUs: startUs };
const open: Limiter[] = [];

function limiterOf(...limits: LimitInput[]): SyncLimiter {
  const limiter = createLimiter({ limits, clock: () => clock.nowUs });
  open.push(limiter);
  return limiter;
}

afterEach(async () => {
  clock.nowUs = startUs;
  await Promise.all(open.splice(0).map((limiter) => limiter.close()));
});

const check: Check = { subject: 'ann', resource: 'GET:/orders', tenant: 'acme' };
const perMinute: LimitInput = {
  algorithm: 'fixed_window',
  name: 'minute',
  limit: 10,
  window: '1 min',
};
const bucket: LimitInput = {
  algorithm: 'token_bucket',
  name: 'burst',
  capacity: 40,
  refillPerSecond: 4,
};
const resetAt = String(startUs / 1e6 + 60);

/** The last decision after checks of these costs. */
function after(limits: readonly LimitInput[], ...costs: number[]): Decision {
  const limiter = limiterOf(...limits);
  return costs.map((cost) => limiter.checkSync({ ...check, cost })).at(-1) as Decision;
}

async function unavailable(onStoreFailure: 'open' | 'closed'): Promise<Decision> {
  const engine = { decide: () => Promise.reject(new StoreFailure('timeout')) };
  const limiter = createLimiter({
    engine: engine as never,
    limits: [{ ...perMinute, onStoreFailure }],
  });
  return limiter.check(check);
}

describe('the default profile', () => {
  it('says limit, remaining, reset in Unix seconds, and the draft', () => {
    expect(toHeaders(after([perMinute], 3))).toEqual({
      'X-RateLimit-Limit': '10',
      'X-RateLimit-Remaining': '7',
      'X-RateLimit-Reset': resetAt,
      'Retry-After': '0',
      'RateLimit-Policy': '"minute";q=10;w=60',
      RateLimit: '"minute";r=7;t=60',
    });
  });

  it('says how long to wait when refused', () => {
    const limiter = limiterOf(perMinute);
    limiter.checkSync({ ...check, cost: 10 });
    clock.nowUs += 1;
    expect(toHeaders(limiter.checkSync(check), { profile: 'default' })).toEqual({
      'X-RateLimit-Limit': '10',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': resetAt,
      'Retry-After': '60',
      'RateLimit-Policy': '"minute";q=10;w=60',
      RateLimit: '"minute";r=0;t=60',
    });
  });
});

describe('names in lower case', () => {
  it.each(headerProfiles)('are the same otherwise, in the profile %s', (profile) => {
    const decision = after([perMinute, { ...bucket, mode: 'warn' }], 10, 100);
    const fields = Object.entries(toHeaders(decision, { profile }));
    expect(toHeaders(decision, { profile, lowerCase: true })).toEqual(
      Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value])),
    );
  });
});

describe('the ietf profile', () => {
  it('says the draft and nothing of before', () => {
    expect(toHeaders(after([perMinute], 10, 1), { profile: 'ietf' })).toEqual({
      'Retry-After': '60',
      'RateLimit-Policy': '"minute";q=10;w=60',
      RateLimit: '"minute";r=0;t=60',
    });
  });
});

describe('the trio', () => {
  it('resets in seconds from now', () => {
    const limiter = limiterOf(perMinute);
    clock.nowUs += 20_500_000;
    expect(toHeaders(limiter.checkSync(check), { profile: 'trio' })).toEqual({
      'RateLimit-Limit': '10',
      'RateLimit-Remaining': '9',
      'RateLimit-Reset': '40',
      'Retry-After': '0',
    });
  });
});

describe('the profile none', () => {
  it('says nothing, of a refusal neither', () => {
    expect(toHeaders(after([perMinute], 10, 1), { profile: 'none' })).toEqual({});
  });
});

describe.each(headerProfiles.filter((profile) => profile !== 'none'))('%s', (profile) => {
  const names = (decision: Decision) => Object.keys(toHeaders(decision, { profile })).toSorted();

  it('waits at least a second when refused', () => {
    const decision = after([bucket], 40, 1);
    expect(decision.retryAfterMs).toBe(250);
    expect(toHeaders(decision, { profile })['Retry-After']).toBe('1');
  });

  it('has no Retry-After where waiting never helps', () => {
    const decision = after([perMinute], 11);
    expect(decision.blockedBy?.reason).toBe('impossible');
    expect(names(decision)).not.toContain('Retry-After');
    expect(names(decision).length).toBeGreaterThan(1);
  });

  it('says only that nobody need wait where no limit applies', () => {
    expect(toHeaders(after([], 1), { profile })).toEqual({ 'Retry-After': '0' });
  });

  it('says only when to come back where the store failed', async () => {
    expect(toHeaders(await unavailable('closed'), { profile })).toEqual({ 'Retry-After': '1' });
    expect(toHeaders(await unavailable('open'), { profile })).toEqual({ 'Retry-After': '0' });
  });

  it('warns of a limit that only warns and would have refused', () => {
    const warn: LimitInput = { ...perMinute, name: 'soon', limit: 2, mode: 'warn' };
    const enforceFrom = new Date('2026-12-01T00:00:00Z');
    const options = { profile, enforceFrom };
    expect(toHeaders(after([perMinute, warn], 2), options)).not.toHaveProperty(
      'X-RateLimit-Warning',
    );
    expect(toHeaders(after([perMinute, warn], 2, 1), options)['X-RateLimit-Warning']).toBe(
      'soon: 2 per 1 minute, used 2, enforced from 2026-12-01',
    );
  });
});

describe('a warning', () => {
  const warn = (name: string): LimitInput => ({
    algorithm: 'token_bucket',
    name,
    capacity: 5,
    refillPerSecond: 1,
    unit: 'tokens',
    mode: 'warn',
  });

  function warningOf(limits: LimitInput[], options: HeaderOptions = {}): string | undefined {
    const decision = limiterOf(...limits).checkSync({ ...check, costs: { tokens: 6 } });
    return toHeaders(decision, options)['X-RateLimit-Warning'];
  }

  it('names the unit, and says so when no date is known', () => {
    expect(warningOf([warn('a')])).toBe('a: bursts of 5 tokens, used 0, not enforced yet');
  });

  it('has a date for each limit, in one line for at most four', () => {
    const dates: Record<string, Date> = { a: new Date(0), c: new Date('2030-02-03T23:59:59Z') };
    const enforceFrom = (name: string) => dates[name] ?? null;
    const line = warningOf(['a', 'b', 'c', 'd', 'e'].map(warn), { enforceFrom });
    expect(line?.split('; ').map((one) => one.replace(/:.*, used 0,/, ''))).toEqual([
      'a enforced from 1970-01-01',
      'b not enforced yet',
      'c enforced from 2030-02-03',
      'd not enforced yet',
    ]);
  });

  it('says nothing of shadow limits', () => {
    expect(warningOf([{ ...warn('a'), mode: 'shadow' }])).toBeUndefined();
  });
});

describe('jitter', () => {
  const refused = () => after([perMinute], 10, 1);
  const wait = (options: HeaderOptions) => toHeaders(refused(), options)['Retry-After'];

  it('adds a share of the wait, five seconds at the most', () => {
    expect(wait({ jitter: 0.05, random: () => 0.999 })).toBe('62');
    expect(wait({ jitter: 1, random: () => 0.999 })).toBe('64');
    expect(wait({ jitter: 1, random: () => 0 })).toBe('60');
    const drawn = Number(wait({ jitter: 1 }));
    expect(drawn).toBeGreaterThanOrEqual(60);
    expect(drawn).toBeLessThan(65);
  });

  it('is what a function makes of the wait, but never less than the wait', () => {
    expect(wait({ jitter: (seconds) => seconds * 1.51 })).toBe('91');
    expect(wait({ jitter: () => 1 })).toBe('60');
    expect(wait({ jitter: () => NaN })).toBe('60');
    expect(wait({ jitter: () => Infinity })).toBe('60');
  });

  it('leaves allowed calls alone', () => {
    const options = { jitter: () => 9 };
    expect(toHeaders(after([perMinute], 1), options)['Retry-After']).toBe('0');
  });
});

describe('what is asked', () => {
  const decision = () => after([perMinute], 1);

  it.each([
    ['decision', undefined, {}],
    ['decision', { allowed: true }, {}],
    ['options', null, null],
    ['options.profil', null, { profil: 'ietf' }],
    ['profile', null, { profile: 'IETF' }],
    ['jitter', null, { jitter: 1.5 }],
    ['jitter', null, { jitter: -0.1 }],
    ['jitter', null, { jitter: NaN }],
    ['jitter', null, { jitter: '5' }],
    ['random', null, { random: 4 }],
    ['lowerCase', null, { lowerCase: 'yes' }],
  ])('is refused by name: %s', (field, wrong, options) => {
    const asked = wrong === null ? decision() : wrong;
    expect(() => toHeaders(asked as never, options as never)).toThrow(
      expect.objectContaining({ code: 'invalid_input', field }),
    );
  });

  it.each([new Date(NaN), () => 'tomorrow', 'tomorrow'])('needs a real date: %s', (enforceFrom) => {
    const warn: LimitInput = { ...perMinute, limit: 1, mode: 'warn' };
    expect(() => toHeaders(after([warn], 2), { enforceFrom: enforceFrom as never })).toThrow(
      expect.objectContaining({ field: 'enforceFrom' }),
    );
  });
});

it('fills an object that has fields already', () => {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  fillHeaders(headers, after([perMinute], 1), { profile: 'trio' });
  expect(Object.keys(headers)).toEqual([
    'Content-Type',
    'RateLimit-Limit',
    'RateLimit-Remaining',
    'RateLimit-Reset',
    'Retry-After',
  ]);
});
