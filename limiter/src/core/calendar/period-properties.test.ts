import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCalendar, periodAfter, periodAt } from './index.ts';
import type { Calendar } from './index.ts';

describe('every calendar, in every zone, from 1990 to 2060', () => {
  it('gives a period of whole microseconds that contains the instant', () => {
    forAll(({ calendar, atUs }) => {
      const { startUs, endUs } = periodAt(calendar, atUs);
      expect(Number.isSafeInteger(startUs) && Number.isSafeInteger(endUs)).toBe(true);
      expect(startUs).toBeLessThanOrEqual(atUs);
      expect(endUs).toBeGreaterThan(atUs);
    });
  });

  it('leaves no gap and no overlap between periods', () => {
    forAll(({ calendar, atUs }) => {
      const bounds = periodAt(calendar, atUs);
      const next = periodAfter(calendar, bounds);
      expect(next.startUs).toBe(bounds.endUs);
      expect(next.endUs).toBeGreaterThan(next.startUs);
      expect(periodAt(calendar, bounds.startUs - 1).endUs).toBe(bounds.startUs);
    });
  });

  it('gives the same period for every instant inside it', () => {
    forAll(({ calendar, atUs, fraction }) => {
      const bounds = periodAt(calendar, atUs);
      const insideUs = bounds.startUs + Math.floor((bounds.endUs - bounds.startUs) * fraction);
      for (const us of [bounds.startUs, insideUs, bounds.endUs - 1]) {
        expect(periodAt(calendar, us)).toEqual(bounds);
      }
    });
  });

  it('starts at local midnight, or where the clock jumps over it', () => {
    forAll(({ calendar, atUs }) => {
      if (calendar.period === 'hour') return;
      const startMs = periodAt(calendar, atUs).startUs / 1000;
      const shown = localClockMs(calendar.timezone, startMs);
      if (shown % DAY_MS === 0) return;
      const before = localClockMs(calendar.timezone, startMs - 1000);
      expect(shown - before).toBeGreaterThan(1000);
      expect(Math.floor(before / DAY_MS)).toBeLessThan(Math.floor(shown / DAY_MS));
    });
  });

  it('starts on the date its anchor asks for, unless the zone skips that date', () => {
    forAll(({ calendar, atUs }) => {
      const { startUs } = periodAt(calendar, atUs);
      const shown = new Date(localClockMs(calendar.timezone, startUs / 1000));
      const dayBefore = new Date(shown.getTime() - DAY_MS);
      const skipped = SKIPPING_ZONES.has(calendar.timezone);
      expect(fitsAnchor(calendar, shown) || (skipped && fitsAnchor(calendar, dayBefore))).toBe(
        true,
      );
    });
  });
});

const DAY_MS = 86_400_000;
// All zones that skipped a whole date since 1990, when they crossed the date line.
const SKIPPING_ZONES = new Set([
  'Pacific/Apia',
  'Pacific/Fakaofo',
  'Pacific/Kwajalein',
  'Pacific/Kiritimati',
  'Pacific/Enderbury',
]);
const FROM_US = Date.UTC(1990, 0, 1) * 1000;
const TO_US = Date.UTC(2060, 0, 1) * 1000;

type Sample = { readonly calendar: Calendar; readonly atUs: number; readonly fraction: number };

// Zones whose clocks misbehave at midnight are drawn far more often than chance would.
const zones = fc.oneof(
  fc.constantFrom('UTC', 'Pacific/Apia', 'Pacific/Kwajalein', 'America/Havana', 'Africa/Cairo'),
  fc.constantFrom('America/St_Johns', 'America/Sao_Paulo', 'Asia/Beirut', 'Australia/Lord_Howe'),
  fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
);

const dates = fc
  .integer({ min: Date.UTC(1990, 0, 1) / DAY_MS, max: Date.UTC(2060, 0, 1) / DAY_MS })
  .map((day) => new Date(day * DAY_MS).toISOString().slice(0, 10));

const calendars = fc.oneof(
  fc.record({ period: fc.constantFrom('hour', 'day'), timezone: zones }),
  fc.record({
    period: fc.constantFrom('week', 'month', 'year'),
    timezone: zones,
    anchor: fc.option(dates, { nil: undefined }),
  }),
  fc.record({
    period: fc.constant('month'),
    timezone: zones,
    anchor: fc.integer({ min: 1, max: 31 }),
  }),
);

function forAll(check: (sample: Sample) => void): void {
  const samples = fc.record({
    calendar: calendars.map(parseCalendar),
    atUs: fc.integer({ min: FROM_US, max: TO_US }),
    fraction: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  });
  fc.assert(fc.property(samples, check), { numRuns: 2_000 });
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** What a clock on the wall shows, as if it were UTC; not how the tested code does it. */
function localClockMs(timeZone: string, atMs: number): number {
  const clock =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  clocks.set(timeZone, clock);
  return Date.parse(`${clock.format(atMs).replace(' ', 'T')}Z`);
}

function fitsAnchor({ period, anchor }: Calendar, shown: Date): boolean {
  const wished = new Date(anchor);
  const lastDay = new Date(Date.UTC(shown.getUTCFullYear(), shown.getUTCMonth() + 1, 0));
  const day = Math.min(wished.getUTCDate(), lastDay.getUTCDate());
  if (period === 'week') return shown.getUTCDay() === wished.getUTCDay();
  if (period === 'month') return shown.getUTCDate() === day;
  if (period === 'year') {
    return shown.getUTCDate() === day && shown.getUTCMonth() === wished.getUTCMonth();
  }
  return true;
}
