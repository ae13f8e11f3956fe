import { describe, expect, it } from 'vitest';
import { ipKeyGenerator, rateLimit } from './index.ts';
import { identifierOf } from './headers.ts';

const make = (options: object) => () => rateLimit(options);

describe('options of express-rate-limit', () => {
  it.each([
    [{ store: {} }, /^store: .*ioredis client as `redis`/],
    [{ onLimitReached: () => {} }, /^onLimitReached: .*`handler`/],
    [{ draft_polli_ratelimit_headers: true }, /^draft_polli_ratelimit_headers: .*draft-6/],
    [{ delayMs: 100 }, /^delayMs: .*backpressure/],
    [{ windowsMs: 100 }, /^windowsMs: is not known/],
    [{ limit: Infinity }, /^limit: .*`skip`/],
    [{ limit: 1.5 }, /^limit: must be a whole number/],
    [{ limit: -1 }, /^limit: must be between 0/],
    [{ max: '5' }, /^limit: must be a number/],
    [{ windowMs: 0 }, /^windowMs: must be between 1/],
    [{ windowMs: '1 min' }, /^windowMs: must be a number/],
    [{ standardHeaders: 'draft-9' }, /^standardHeaders: must be one of draft-6/],
    [{ statusCode: 42 }, /^statusCode: must be between 100/],
    [{ keyGenerator: 'ip' }, /^keyGenerator: must be a function/],
    [{ skipFailedRequests: 'yes' }, /^skipFailedRequests: must be a boolean/],
    [{ redis: {} }, /^redis: must be an ioredis client/],
    [{ prefix: 7 }, /^prefix: must be a string/],
  ])('what can not be used is refused by name: %o', (options, problem) => {
    expect(make(options)).toThrow(problem);
  });

  it('nothing said, and undefined said, mean the defaults', () => {
    expect(make({ limit: undefined, store: undefined, validate: false })).not.toThrow();
    expect(rateLimit).not.toThrow();
  });

  it('every middleware in process counts for itself', async () => {
    const [first, second] = [rateLimit(), rateLimit()];
    const seen: unknown[] = [];
    const res = { headersSent: true, setHeader: () => {} };
    const call = first({ ip: '203.0.113.9' } as never, res as never, (error) => seen.push(error));
    await call;
    expect(seen).toEqual([undefined]);
    expect(await first.getKey('203.0.113.9')).toMatchObject({ totalHits: 1 });
    expect(await second.getKey('203.0.113.9')).toBeUndefined();
  });
});

describe('names and keys of express-rate-limit', () => {
  it('a limit without a name is named by its numbers', () => {
    const named = [500, 30_000, 60_000, 5_400_000, 3_600_000, 7_200_000, 86_400_000, 172_800_000];
    expect(named.map((windowMs) => identifierOf(5, windowMs))).toEqual([
      '5-in-0.5sec',
      '5-in-30sec',
      '5-in-1min',
      '5-in-1.5hrs',
      '5-in-1hr',
      '5-in-2hrs',
      '5-in-1day',
      '5-in-2days',
    ]);
  });

  it('an address is counted by its network', () => {
    expect(ipKeyGenerator('2001:db8:0:ff:1::1')).toBe('2001:db8::/56');
    expect(ipKeyGenerator('2001:db8:0:ff:1::1', false)).toBe('2001:db8:0:ff:1::1');
    expect(ipKeyGenerator('::ffff:203.0.113.9')).toBe('203.0.113.9');
    expect(() => ipKeyGenerator('nobody')).toThrow(/^ip: must be an address/);
  });
});
