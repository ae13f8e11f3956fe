import { describe, expect, it } from 'vitest';
import { limitSummary, usageSummary, type LimitStanding } from './summary.ts';
import type { Counts, LimitCounts } from './usage.ts';

const nowMs = Date.UTC(2026, 10, 16, 10, 40);
const running = {
  from: new Date('2026-11-16T10:00:00Z'),
  to: new Date('2026-11-16T10:41:00Z'),
  step: 'minute',
  nowMs,
} as const;
const over = { ...running, to: new Date('2026-11-16T10:30:00Z') };
const counts = (some: Partial<Counts>): Counts => ({
  allowed: 0,
  warned: 0,
  blocked: 0,
  degraded: 0,
  would_block: 0,
  ...some,
});
const limit = (name: string, some: Partial<LimitCounts> = {}): LimitCounts => ({
  name,
  allowed: 0,
  blocked: 0,
  would_block: 0,
  ...some,
});

describe('what became of calls', () => {
  it.each<[Partial<Counts>, readonly LimitCounts[], string]>([
    [{}, [], 'No calls since 10:00 UTC on 2026-11-16.'],
    [{ allowed: 1 }, [], '1 call since 10:00 UTC on 2026-11-16: 1 allowed.'],
    [
      { allowed: 1180, blocked: 24 },
      [limit('search-per-minute', { allowed: 1180, blocked: 24 }), limit('burst')],
      '1,204 calls since 10:00 UTC on 2026-11-16: 1,180 allowed, 24 refused, all by search-per-minute.',
    ],
    [
      { allowed: 2, blocked: 1 },
      [limit('burst', { blocked: 1 })],
      '3 calls since 10:00 UTC on 2026-11-16: 2 allowed, 1 refused by burst.',
    ],
    [
      { warned: 3, degraded: 2, blocked: 5 },
      [limit('a', { blocked: 4 }), limit('b', { blocked: 3 }), limit('c', { would_block: 3 })],
      '10 calls since 10:00 UTC on 2026-11-16: 3 allowed with a warning or watched, 2 allowed while limits could not be checked, 5 refused (4 by a, 3 by b).',
    ],
    [{ blocked: 2 }, [], '2 calls since 10:00 UTC on 2026-11-16: 2 refused, by a block.'],
  ])('%j', (totals, limits, said) => {
    expect(usageSummary(counts(totals), limits, running)).toBe(said);
  });

  it('names both ends of what is over', () => {
    expect(usageSummary(counts({}), [], over)).toBe(
      'No calls from 10:00 UTC on 2026-11-16 to 10:30 UTC on 2026-11-16.',
    );
  });
});

describe('what a limit made of them', () => {
  const standing: LimitStanding = {
    unit: 'requests',
    mode: 'enforce',
    limit: 100,
    used: 100,
    remaining: 0,
    reset_at: Date.UTC(2026, 10, 16, 10, 41, 5) / 1000,
    blocked_until: null,
  };
  const none = { used: null, remaining: null, reset_at: null };

  it.each<[Partial<LimitStanding>, Partial<LimitCounts>, string]>([
    [
      {},
      { allowed: 1180, blocked: 24 },
      'm: 100 of 100 requests used, 0 left, all back by 10:41:05 UTC on 2026-11-16. It let in 1,180 calls and refused 24 since 10:00 UTC on 2026-11-16.',
    ],
    [
      { used: 0, remaining: 100 },
      { allowed: 1 },
      'm: 0 of 100 requests used, 100 left. It let in 1 call since 10:00 UTC on 2026-11-16.',
    ],
    [
      none,
      { would_block: 3 },
      'm: 100 requests for each of those it counts. It let in 0 calls since 10:00 UTC on 2026-11-16; if enforced, it would have refused 3.',
    ],
    [
      { blocked_until: Date.UTC(2026, 10, 16, 11) / 1000, used: 0, remaining: 100 },
      {},
      'm: 0 of 100 requests used, 100 left, refusing all until 11:00:00 UTC on 2026-11-16. It let in 0 calls since 10:00 UTC on 2026-11-16.',
    ],
  ])('%j %j', (state, made, said) => {
    expect(limitSummary({ ...standing, ...state }, limit('m', made), running)).toBe(said);
  });

  it('is said of one alone, too', () => {
    const made = counts({ allowed: 5, blocked: 2 });
    expect(usageSummary(made, [], { ...running, limitName: 'm' })).toBe(
      'm let in 5 calls and refused 2 since 10:00 UTC on 2026-11-16.',
    );
  });
});
