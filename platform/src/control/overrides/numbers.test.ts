import { InvalidInput } from 'sluice';
import type { CanonicalLimit } from 'sluice/contract';
import { limitsFromWire } from 'sluice/contract';
import { describe, expect, it } from 'vitest';
import type { Definition } from '../definitions.ts';
import { type Numbers, requireNumbers, withNumbers } from './numbers.ts';

const [window, bucket, slots, quota, log, share, bucketShare] = limitsFromWire(
  [
    { name: 'window', algorithm: 'sliding_window_counter', limit: 10, window_seconds: 60 },
    { name: 'bucket', algorithm: 'token_bucket', bucket_capacity: 10, refill_rate_per_sec: 1 },
    { name: 'slots', algorithm: 'concurrency', max_concurrent: 3, stale_after_seconds: 30 },
    { name: 'quota', algorithm: 'quota', limit: 1000, period: 'month' },
    { name: 'log', algorithm: 'sliding_window_log', limit: 10, window_seconds: 60 },
    {
      name: 'share',
      algorithm: 'fixed_window',
      window_seconds: 60,
      share_of: { limit: 'window', ratio: 0.1 },
    },
    { name: 'part', algorithm: 'token_bucket', share_of: { limit: 'bucket', ratio: 0.5 } },
  ],
  'limits',
) as [
  CanonicalLimit,
  CanonicalLimit,
  CanonicalLimit,
  CanonicalLimit,
  CanonicalLimit,
  CanonicalLimit,
  CanonicalLimit,
];

const inPlan = (limit: CanonicalLimit, name = 'pro'): Definition => ({
  by: 'plan',
  id: name,
  name,
  limit,
});

describe('the numbers of an override', () => {
  it.each<[string, CanonicalLimit, Numbers]>([
    ['a limit', window, { limit: 500 }],
    ['a window', window, { window_seconds: 1.5 }],
    ['both', window, { limit: 500, window_seconds: 3600 }],
    ['a capacity', bucket, { bucket_capacity: 50 }],
    ['a rate', bucket, { refill_rate_per_sec: 0.25 }],
    ['slots', slots, { max_concurrent: 9, stale_after_seconds: 5 }],
    ['an allowance', quota, { limit: 5000 }],
    ['a size in place of a share', share, { limit: 7 }],
    ['a window beside a share', share, { window_seconds: 5 }],
    ['a rate beside a share', bucketShare, { refill_rate_per_sec: 3 }],
    ['both in place of a share', bucketShare, { bucket_capacity: 3, refill_rate_per_sec: 3 }],
  ])('may be %s', (_what, limit, numbers) => {
    expect(() => requireNumbers([inPlan(limit)], numbers)).not.toThrow();
  });

  it.each<[string, CanonicalLimit, Numbers, string]>([
    ['of another algorithm', window, { bucket_capacity: 5 }, 'numbers.bucket_capacity'],
    ['of a window, for a quota', quota, { window_seconds: 5 }, 'numbers.window_seconds'],
    ['nothing', window, { limit: 0 }, 'numbers.limit'],
    ['half a call', window, { limit: 1.5 }, 'numbers.limit'],
    ['not to be counted exactly', window, { limit: 2 ** 50 }, 'numbers.limit'],
    ['longer than an exact log', log, { limit: 10_001 }, 'numbers.limit'],
    ['too fine a rate', bucket, { refill_rate_per_sec: 1e-7 }, 'numbers.refill_rate_per_sec'],
    ['over ten years to fill', bucket, { bucket_capacity: 2 ** 49 }, 'numbers.bucket_capacity'],
    ['too many slots', slots, { max_concurrent: 100_001 }, 'numbers.max_concurrent'],
    ['a size without the rate', bucketShare, { bucket_capacity: 3 }, 'numbers.refill_rate_per_sec'],
  ])('must not be %s', (_what, limit, numbers, field) => {
    const attempt = () => requireNumbers([inPlan(limit)], numbers);
    expect(attempt).toThrow(InvalidInput);
    expect(attempt).toThrow(expect.objectContaining({ field }));
  });

  it('fit every plan that has the limit, and tell which one they do not', () => {
    const definitions = [inPlan(window, 'pro'), inPlan({ ...bucket, name: 'window' }, 'bursty')];
    expect(() => requireNumbers(definitions, { limit: 5 })).toThrow(/^numbers\.limit: .*bursty/);
  });

  it('leave the rest of the limit as it is', () => {
    expect(withNumbers(window, { limit: 5 })).toEqual({ ...window, limit: 5 });
    expect(withNumbers(share, { limit: 5 })).not.toHaveProperty('share_of');
    expect(withNumbers(share, { window_seconds: 5 })).toHaveProperty('share_of');
  });
});
