import { canonicalLimit, type CanonicalLimit } from 'sluice/contract';
import type { Limit } from 'sluice/core';
import { describe, expect, it } from 'vitest';
import { limitOf } from './bound.ts';
import { exampleAnswer } from './example.ts';
import { simulate, sustainedPerSecond, type Traffic } from './simulate.ts';

const bucket = { algorithm: 'token_bucket', bucket_capacity: 10, refill_rate_per_sec: 2 };
const steady: Traffic = { pattern: 'steady', callsPerSecond: 4, callSeconds: 1 };

function made(wire: object, ...others: readonly object[]): Limit {
  const all = [wire, ...others].map((one) => canonicalLimit(one, 'limit'));
  return limitOf(all[0] as CanonicalLimit, all) as Limit;
}

describe('a simulation', () => {
  it('of a bucket lets its burst through and then its rate, whatever is asked', () => {
    const limit = made(bucket);
    const { asked, admitted, spanSeconds, firstRefusalSeconds } = simulate(limit, steady);
    expect(spanSeconds).toBe(20);
    expect(asked).toBe(80);
    // 10 to begin with, and 2 in each of 20 seconds but for what comes after the last call.
    expect(admitted).toBe(49);
    expect(firstRefusalSeconds).toBeCloseTo(5, 0);
  });

  it.each(['fixed_window', 'sliding_window_log', 'sliding_window_counter'])(
    'of a %s refuses nobody who asks for less than it sustains',
    (algorithm) => {
      const limit = made({ algorithm, limit: 60, window_seconds: 60 });
      expect(sustainedPerSecond(limit, 1)).toBe(1);
      const { asked, admitted } = simulate(limit, { ...steady, callsPerSecond: 0.9 });
      expect(admitted).toBe(asked);
    },
  );

  it('of bursts lets the allowance of a window through each time', () => {
    const twice = (algorithm: string) =>
      simulate(made({ algorithm, limit: 100, window_seconds: 10 }), {
        ...steady,
        pattern: 'bursts',
        callsPerSecond: 20,
      });
    expect(twice('fixed_window').admitted).toBe(400);
    expect(twice('sliding_window_log').admitted).toBe(400);
    expect(twice('fixed_window').asked).toBe(800);
  });

  it('of slots lets as many through as are free, and again when calls end', () => {
    const limit = made({ algorithm: 'concurrency', max_concurrent: 3, stale_after_seconds: 30 });
    const { parts, admitted, asked } = simulate(limit, { ...steady, callSeconds: 2 });
    expect(asked).toBe(64);
    expect(Math.min(...parts.map(({ left }) => left))).toBe(0);
    expect(admitted).toBeGreaterThanOrEqual(21);
    expect(admitted).toBeLessThanOrEqual(24);
  });

  it('of a penalty keeps out whoever asked for too much', () => {
    const window = { algorithm: 'fixed_window', limit: 10, window_seconds: 1 };
    const plain = simulate(made(window), { ...steady, callsPerSecond: 20 });
    const strict = simulate(made({ ...window, block_for_seconds: 3 }), {
      ...steady,
      callsPerSecond: 20,
    });
    expect(plain.admitted).toBe(40);
    expect(strict.spanSeconds).toBe(12);
    // Each time up to two windows' worth, then three seconds of nothing.
    expect(strict.admitted).toBeGreaterThanOrEqual(30);
    expect(strict.admitted).toBeLessThanOrEqual(60);
  });
});

describe('an example', () => {
  const requests = { name: 'requests', algorithm: 'fixed_window', limit: 100, window_seconds: 60 };

  it('has the headers of the first call, and of the one after the last', () => {
    const limit = made(requests);
    const first = exampleAnswer([limit], null);
    expect(first).toMatchObject({ status: 200, message: 'Allowed.' });
    expect(first.headers).toMatchObject({
      'X-RateLimit-Limit': '100',
      'X-RateLimit-Remaining': '99',
      'Retry-After': '0',
      'RateLimit-Policy': '"requests";q=100;w=60',
    });
    const refused = exampleAnswer([limit], limit);
    expect(refused.status).toBe(429);
    expect(refused.headers['X-RateLimit-Remaining']).toBe('0');
    expect(Number(refused.headers['Retry-After'])).toBeGreaterThan(0);
  });

  it('of a refusal charges no other limit', () => {
    const [limit, other] = [made(requests), made({ ...requests, name: 'other', limit: 7 })];
    const { headers } = exampleAnswer([limit, other], limit);
    expect(headers['RateLimit']).toContain('"other";r=7;');
  });

  it('of a limit that only warns is let through with the warning', () => {
    const limit = made({ ...requests, mode: 'warn' });
    const { status, headers } = exampleAnswer([limit], limit);
    expect(status).toBe(200);
    expect(headers['X-RateLimit-Warning']).toContain('requests: 100 per 1 minute');
  });

  it('knows the numbers of a share', () => {
    const share = { ...requests, name: 'user', share_of: { limit: 'requests', ratio: 0.1 } };
    const { limit: _limit, ...rest } = share;
    expect(made(rest, requests).size).toBe(10);
  });
});
