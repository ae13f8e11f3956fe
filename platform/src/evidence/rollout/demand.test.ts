import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LimitInput } from 'sluice';
import { peaksOf, refusedBy, type Call } from './test-traffic.ts';

type Sized = (size: number) => LimitInput;

const kinds: Readonly<Record<string, Sized>> = {
  'a token bucket': (capacity) => ({ algorithm: 'token_bucket', capacity, refillPerSecond: 2 }),
  'a token bucket with fractions': (capacity) => ({
    algorithm: 'token_bucket',
    capacity,
    refillPerSecond: 3.7,
  }),
  'a fixed window': (limit) => ({ algorithm: 'fixed_window', limit, window: '1 s' }),
  'a window that begins with the first call': (limit) => ({
    algorithm: 'fixed_window',
    limit,
    window: '1 s',
    align: 'first_request',
  }),
  'a sliding log': (limit) => ({ algorithm: 'sliding_window_log', limit, window: '1 s' }),
  'a sliding counter': (limit) => ({ algorithm: 'sliding_window_counter', limit, window: '1 s' }),
  'a quota': (limit) => ({ algorithm: 'quota', limit, period: 'hour' }),
};

/** No more than a rolling window tells apart, so that all is exact. */
function calls(costMax: number): fc.Arbitrary<Call[]> {
  return fc.array(
    fc.record({
      subject: fc.constantFrom('ann', 'bob', 'cyd'),
      cost: fc.integer({ min: 1, max: costMax }),
      afterUs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 900_000 })),
    }),
    { minLength: 1, maxLength: 30 },
  );
}

/** With nothing at all, everybody is. */
function refusedWithOneLess(sized: Sized, size: number, asked: readonly Call[]): Set<string> {
  if (size === 1) return new Set(asked.map(({ subject }) => subject));
  return refusedBy(sized(size - 1), asked);
}

const traffic = fc
  .integer({ min: 1, max: 8 })
  .chain((size) => fc.record({ size: fc.constant(size), calls: calls(6) }));

describe.each(Object.entries(kinds))('what was asked of %s', (name, sized) => {
  // A window begins with the first call that is let in: that must be the same one at every size.
  const isSame = name !== 'a window that begins with the first call';
  const plain = isSame
    ? traffic
    : traffic.map(({ size, calls: asked }) => ({
        size,
        calls: asked.map((call) => ({ ...call, cost: 1 })),
      }));

  it('is the least size that refuses nothing of a subject', () => {
    fc.assert(
      fc.property(plain, ({ size, calls: asked }) => {
        for (const [subject, peak] of peaksOf(sized(size), asked)) {
          expect(refusedBy(sized(peak), asked)).not.toContain(subject);
          expect(refusedWithOneLess(sized, peak, asked)).toContain(subject);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('is enough where subjects share a counter', () => {
    const shared: Sized = (size) => ({ ...sized(size), per: ['tenant'] });
    fc.assert(
      fc.property(plain, ({ size, calls: asked }) => {
        const peaks = peaksOf(shared(size), asked);
        for (const [subject, peak] of peaks) {
          expect(refusedBy(shared(peak), asked)).not.toContain(subject);
        }
        const most = Math.max(...peaks.values());
        expect(refusedWithOneLess(shared, most, asked).size).toBeGreaterThan(0);
      }),
      { numRuns: 40 },
    );
  });

  it('does not depend on how large the limit is', () => {
    fc.assert(
      fc.property(traffic, ({ calls: asked }) => {
        const sizes = [6, 9, 1000].map((size) => peaksOf(sized(size), asked));
        expect(sizes[1]).toEqual(sizes[0]);
        expect(sizes[2]).toEqual(sizes[0]);
      }),
      { numRuns: 20 },
    );
  });
});

it('counts a refusal in a rolling window too long rather than too short, when there are many', () => {
  const limit: Sized = (size) => ({ algorithm: 'sliding_window_log', limit: size, window: '1 s' });
  const asked = Array.from({ length: 400 }, () => ({ subject: 'ann', cost: 1, afterUs: 10_000 }));
  const peak = peaksOf(limit(1), asked).get('ann') as number;
  expect(refusedBy(limit(peak), asked).size).toBe(0);
  expect(peak).toBeGreaterThanOrEqual(100);
});

it('is one more than the slots in use for open calls', () => {
  const limit: LimitInput = { algorithm: 'concurrency', maxConcurrent: 2, staleAfter: '10 s' };
  const asked = ['ann', 'ann', 'ann', 'bob'].map((subject) => ({ subject, cost: 5, afterUs: 1 }));
  expect(peaksOf(limit, asked)).toEqual(
    new Map([
      ['ann', 3],
      ['bob', 1],
    ]),
  );
});

it('counts what penalties keep out: without the first refusal there would be none', () => {
  const limit: Sized = (size) => ({
    algorithm: 'fixed_window',
    limit: size,
    window: '10 s',
    blockFor: '5 s',
  });
  const asked = Array.from({ length: 8 }, () => ({ subject: 'ann', cost: 1, afterUs: 1000 }));
  expect(peaksOf(limit(2), asked).get('ann')).toBe(8);
  expect(refusedBy(limit(8), asked).size).toBe(0);
});
