import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  slidingWindowCounter,
  tickUsOf,
  type SlidingWindowCounterState,
} from './sliding-window-counter.ts';
import { slidingWindowLog, type SlidingWindowLogState } from './sliding-window-log.ts';

const nowUs = 1_700_000_000_000_000;
const numbers = { limit: 5, windowUs: 1000 };

const steps = fc.array(
  fc.record({ cost: fc.integer({ min: 1, max: 5 }), waitUs: fc.integer({ min: 0, max: 700 }) }),
  { maxLength: 80 },
);

type Taken = { readonly atUs: number; readonly cost: number };

const sumFrom = (taken: readonly Taken[], fromUs: number, lengthUs = 1000) =>
  taken
    .filter(({ atUs }) => atUs >= fromUs && atUs < fromUs + lengthUs)
    .reduce((sum, { cost }) => sum + cost, 0);

describe('sliding window log', () => {
  it('admits exactly what keeps any rolling window to the limit', () => {
    const property = fc.property(steps, (schedule) => {
      const taken: Taken[] = [];
      let state: SlidingWindowLogState | undefined;
      let atUs = nowUs;
      for (const { cost, waitUs } of schedule) {
        atUs += waitUs;
        const loaded = slidingWindowLog.load(numbers, state, atUs);
        const fits = sumFrom(taken, atUs - 999) + cost <= 5;
        expect(slidingWindowLog.admits(numbers, loaded, cost, atUs)).toBe(fits);
        if (!fits) continue;
        taken.push({ atUs, cost });
        state = slidingWindowLog.charge(numbers, loaded, cost, atUs);
      }
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('forgets what has left the window: it grows no longer than its limit', () => {
    const many = { limit: 1000, windowUs: 1000 };
    let state = slidingWindowLog.load(many, undefined, nowUs);
    for (let at = 0; at < 20_000; at += 1) {
      state = slidingWindowLog.charge(many, state, 1, nowUs + at);
    }
    expect(state.timesUs.length).toBeLessThanOrEqual(2000);
    expect(slidingWindowLog.read(many, state, 0, nowUs + 19_999).used).toBe(1000);
  });

  it('bounds debt by the limit', () => {
    let state = slidingWindowLog.load(numbers, undefined, nowUs);
    state = slidingWindowLog.charge(numbers, state, 2 ** 40, nowUs);
    expect(slidingWindowLog.read(numbers, state, 0, nowUs).used).toBe(10);
  });
});

describe('sliding window counter', () => {
  it('admits at most the limit per aligned window and under twice in any rolling one', () => {
    const property = fc.property(steps, (schedule) => {
      const taken: Taken[] = [];
      let state: SlidingWindowCounterState | undefined;
      let atUs = nowUs;
      for (const { cost, waitUs } of schedule) {
        atUs += waitUs;
        const loaded = slidingWindowCounter.load(numbers, state, atUs);
        if (!slidingWindowCounter.admits(numbers, loaded, cost, atUs)) continue;
        taken.push({ atUs, cost });
        state = slidingWindowCounter.charge(numbers, loaded, cost, atUs);
      }
      for (const { atUs: fromUs } of taken) {
        expect(sumFrom(taken, fromUs - (fromUs % 1000))).toBeLessThanOrEqual(5);
        expect(sumFrom(taken, fromUs)).toBeLessThan(10);
      }
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('starts a window of hours in milliseconds, so that counts times length stay exact', () => {
    expect(tickUsOf(3_600_000_000)).toBe(1);
    expect(tickUsOf(3_600_001_000)).toBe(1000);
    const large = { limit: 2 ** 20, windowUs: 30 * 86_400_000_000 };
    const startUs = nowUs - (nowUs % large.windowUs);
    const fresh = slidingWindowCounter.load(large, undefined, startUs);
    const state = slidingWindowCounter.charge(large, fresh, large.limit, startUs);
    const nextUs = startUs + large.windowUs;
    const rolled = slidingWindowCounter.load(large, state, nextUs);
    const { fitsAtUs } = slidingWindowCounter.show(large, rolled, 1, nextUs);
    expect(slidingWindowCounter.admits(large, rolled, 1, fitsAtUs)).toBe(true);
    expect(slidingWindowCounter.admits(large, rolled, 1, fitsAtUs - 1)).toBe(false);
  });

  it('is as new two windows after its last charge', () => {
    const state = { startUs: nowUs, windowUs: 1000, previous: 5, current: 4 };
    expect(slidingWindowCounter.load(numbers, state, nowUs + 999)).toEqual(state);
    expect(slidingWindowCounter.load(numbers, state, nowUs + 1000)).toMatchObject({
      startUs: nowUs + 1000,
      previous: 4,
      current: 0,
    });
    expect(slidingWindowCounter.load(numbers, state, nowUs + 2000)).toMatchObject({
      previous: 0,
      current: 0,
    });
  });
});
