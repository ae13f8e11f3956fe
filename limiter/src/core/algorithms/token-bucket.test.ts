import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenBucket, tokenBucketNumbers, type TokenBucketState } from './token-bucket.ts';

const nowUs = 1_700_000_000_000_000;

const anyNumbers = fc
  .record({
    capacity: fc.integer({ min: 1, max: 1000 }),
    tokens: fc.constantFrom(1, 2, 3, 7, 999, 1000, 1001, 700_001),
    perUs: fc.constantFrom(1, 3, 10, 1000, 1_000_000, 86_400_000_000),
  })
  .map(({ capacity, ...rate }) => tokenBucketNumbers(capacity, rate));

const anySteps = fc.array(
  fc.record({
    cost: fc.integer({ min: 1, max: 1000 }),
    waitUs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 10_000_000 })),
  }),
  { maxLength: 60 },
);

describe('token bucket', () => {
  it('admits at most capacity + rate × time over every interval, and all that fits', () => {
    const property = fc.property(anyNumbers, anySteps, (numbers, steps) => {
      const tokens = BigInt(numbers.tokens);
      const perUs = BigInt(numbers.perUs);
      const full = BigInt(numbers.capacity) * perUs;
      let level = full;
      let state: TokenBucketState | undefined;
      let atUs = nowUs;
      for (const step of steps) {
        atUs += step.waitUs;
        level += BigInt(step.waitUs) * tokens;
        if (level > full) level = full;
        const cost = 1 + (step.cost % numbers.capacity);
        const loaded = tokenBucket.load(numbers, state, atUs);
        const fits = BigInt(cost) * perUs <= level;
        expect(tokenBucket.admits(numbers, loaded, cost, atUs)).toBe(fits);
        if (!fits) continue;
        level -= BigInt(cost) * perUs;
        state = tokenBucket.charge(numbers, loaded, cost, atUs);
      }
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('shows a time at which the amount fits, and not one microsecond before', () => {
    const property = fc.property(
      anyNumbers,
      fc.nat(),
      fc.nat(),
      (numbers, takenSeed, amountSeed) => {
        const taken = 1 + (takenSeed % numbers.capacity);
        const amount = 1 + (amountSeed % numbers.capacity);
        const fresh = tokenBucket.load(numbers, undefined, nowUs);
        const state = tokenBucket.charge(numbers, fresh, taken, nowUs);
        const { fitsAtUs } = tokenBucket.show(numbers, state, amount, nowUs);
        expect(tokenBucket.admits(numbers, state, amount, fitsAtUs)).toBe(true);
        expect(tokenBucket.admits(numbers, state, amount, fitsAtUs - 1)).toBe(false);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });

  it('is full one fill time after it was empty, and a fresh one is full', () => {
    const numbers = tokenBucketNumbers(5, { tokens: 3, perUs: 1_000_000 });
    const fresh = tokenBucket.load(numbers, undefined, nowUs);
    expect(tokenBucket.show(numbers, fresh, 1, nowUs)).toMatchObject({ used: 0, remaining: 5 });
    const empty = tokenBucket.charge(numbers, fresh, 5, nowUs);
    expect(tokenBucket.show(numbers, empty, 1, nowUs)).toEqual({
      used: 5,
      remaining: 0,
      resetAtUs: nowUs + 1_666_667,
      fitsAtUs: nowUs + 333_334,
    });
    expect(tokenBucket.expiresAtUs(numbers, empty)).toBeGreaterThanOrEqual(nowUs + 1_666_667);
  });

  it('bounds debt by one fill time', () => {
    const numbers = tokenBucketNumbers(5, { tokens: 1, perUs: 1_000_000 });
    const fresh = tokenBucket.load(numbers, undefined, nowUs);
    const state = tokenBucket.charge(numbers, fresh, 2 ** 30, nowUs);
    expect(tokenBucket.show(numbers, state, 1, nowUs)).toMatchObject({ used: 10, remaining: 0 });
    expect(tokenBucket.admits(numbers, state, 0, nowUs + 5_000_000 - 1)).toBe(false);
    expect(tokenBucket.admits(numbers, state, 0, nowUs + 5_000_000)).toBe(true);
  });

  it('counts a fraction that a changed rate can’t express against the caller', () => {
    const slow = tokenBucketNumbers(5, { tokens: 2, perUs: 3 });
    const stored = { emptyAtUs: nowUs, fraction: 6 };
    expect(tokenBucket.load(slow, stored, nowUs)).toEqual({ emptyAtUs: nowUs + 1, fraction: 0 });
  });
});
