import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCalendar } from '../calendar/index.ts';
import { fixedWindow } from './fixed-window.ts';
import { periodsAround, quota } from './quota.ts';
import type { WindowState } from './window.ts';

const nowUs = 1_700_000_000_000_000;
const numbers = { limit: 5, windowUs: 1000, align: 'clock' } as const;

describe('fixed window', () => {
  it('admits at most the limit in each window, and all that fits', () => {
    const steps = fc.array(
      fc.record({ cost: fc.integer({ min: 1, max: 5 }), waitUs: fc.integer({ min: 0, max: 700 }) }),
    );
    const property = fc.property(steps, (schedule) => {
      const used = new Map<number, number>();
      let state: WindowState | undefined;
      let atUs = nowUs;
      for (const { cost, waitUs } of schedule) {
        atUs += waitUs;
        const window = Math.floor(atUs / 1000);
        const loaded = fixedWindow.load(numbers, state, atUs);
        const fits = (used.get(window) ?? 0) + cost <= 5;
        expect(fixedWindow.admits(numbers, loaded, cost, atUs)).toBe(fits);
        if (!fits) continue;
        used.set(window, (used.get(window) ?? 0) + cost);
        state = fixedWindow.charge(numbers, loaded, cost, atUs);
      }
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('is over at its end and keeps its count until then', () => {
    const stored = { startUs: nowUs, endUs: nowUs + 1000, used: 3 };
    expect(fixedWindow.load(numbers, stored, nowUs + 999)).toBe(stored);
    expect(fixedWindow.load(numbers, stored, nowUs + 1000).used).toBe(0);
    expect(fixedWindow.load(numbers, stored, nowUs - 5000)).toBe(stored);
  });

  it('never begins where another one did, however its length changes', () => {
    const steps = fc.array(
      fc.record({
        windowUs: fc.constantFrom(1000, 250, 3000, 700),
        waitUs: fc.integer({ min: 0, max: 900 }),
      }),
    );
    const property = fc.property(steps, (schedule) => {
      let state: WindowState | undefined;
      let atUs = nowUs;
      for (const { windowUs, waitUs } of schedule) {
        atUs += waitUs;
        const loaded = fixedWindow.load({ ...numbers, windowUs }, state, atUs);
        expect(loaded.startUs).toBeLessThanOrEqual(atUs);
        expect(loaded.endUs).toBeGreaterThan(atUs);
        const goesOn = loaded.startUs === state?.startUs;
        expect(goesOn || loaded.startUs > (state?.startUs ?? 0)).toBe(true);
        state = fixedWindow.charge(numbers, loaded, 1, atUs);
      }
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('bounds debt by the limit, and never lowers what was used', () => {
    const stored = { startUs: nowUs, endUs: nowUs + 1000, used: 3 };
    expect(fixedWindow.charge(numbers, stored, 1_000_000, nowUs).used).toBe(10);
    const over = { ...stored, used: 40 };
    expect(fixedWindow.charge(numbers, over, 1, nowUs).used).toBe(40);
  });

  it('gives back in its own window only, and never below nothing', () => {
    const stored = { startUs: nowUs, endUs: nowUs + 1000, used: 3 };
    const refund = (amount: number, chargedAtUs: number) =>
      fixedWindow.refund(numbers, stored, { amount, chargedAtUs, nowUs: nowUs + 500 }).used;
    expect(refund(2, nowUs)).toBe(1);
    expect(refund(7, nowUs + 999)).toBe(0);
    expect(refund(2, nowUs - 1)).toBe(3);
    expect(refund(2, nowUs + 1000)).toBe(3);
  });
});

describe('quota', () => {
  const calendar = parseCalendar({ period: 'month', anchor: 31, timezone: 'Europe/Berlin' });

  it('knows the running period and the one after it', () => {
    const { current, next } = periodsAround(calendar, nowUs);
    expect(current.startUs).toBeLessThanOrEqual(nowUs);
    expect(current.endUs).toBeGreaterThan(nowUs);
    expect(next.startUs).toBe(current.endUs);
    expect(periodsAround(calendar, current.endUs).current).toEqual(next);
    expect(periodsAround(calendar, current.startUs).current).toEqual(current);
  });

  it('keeps the bounds of a period that is running', () => {
    const stored = { startUs: 1, endUs: nowUs + 1, used: 3 };
    expect(quota.load({ limit: 5, calendar }, stored, nowUs)).toBe(stored);
    const { current } = periodsAround(calendar, nowUs + 1);
    expect(quota.load({ limit: 5, calendar }, stored, nowUs + 1)).toEqual({ ...current, used: 0 });
  });
});
