import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Freshness } from './freshness.ts';

const nowMs = Date.UTC(2026, 10, 16);

beforeEach(() => {
  vi.useFakeTimers({ now: nowMs });
});
afterEach(() => {
  vi.useRealTimers();
});

function freshnessOf({ isWritten = true, isAway = false } = {}) {
  const drained: string[] = [];
  const freshness = new Freshness({
    flush: async () => isWritten,
    drain: async ({ id }) => {
      drained.push(id);
      if (isAway) throw new Error('away');
      await Promise.resolve();
    },
  });
  return { freshness, drained };
}

it('moves a ledger at most once a second, for all who ask', async () => {
  const { freshness, drained } = freshnessOf();
  const asked = [1, 2, 3].map(() => freshness.of({ id: 'a' }));
  const until = new Date(nowMs - 2000);
  expect(await Promise.all(asked)).toEqual([until, until, until]);
  vi.advanceTimersByTime(999);
  expect(await freshness.of({ id: 'a' })).toEqual(until);
  await freshness.of({ id: 'b' });
  expect(drained).toEqual(['a', 'b']);
  vi.advanceTimersByTime(1);
  expect(await freshness.of({ id: 'a' })).toEqual(new Date(nowMs - 1000));
  expect(drained).toEqual(['a', 'b', 'a']);
});

it('promises nothing where the store did not take or give everything', async () => {
  expect(await freshnessOf({ isWritten: false }).freshness.of({ id: 'a' })).toBe(null);
  expect(await freshnessOf({ isAway: true }).freshness.of({ id: 'a' })).toBe(null);
});

it('moves few at once', async () => {
  const { freshness, drained } = freshnessOf();
  const asked = Array.from({ length: 10 }, (_, at) => freshness.of({ id: String(at) }));
  const untils = await Promise.all(asked);
  expect(drained).toHaveLength(4);
  expect(untils.filter((until) => until === null)).toHaveLength(6);
  vi.advanceTimersByTime(1000);
  expect(await freshness.of({ id: '9' })).not.toBe(null);
});
