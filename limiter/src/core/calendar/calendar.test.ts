import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../errors.ts';
import { parseCalendar } from './index.ts';
import type { CalendarInput } from './index.ts';

describe('a calendar without an anchor', () => {
  it('is in UTC', () => {
    expect(parseCalendar({ period: 'day' }).timezone).toBe('UTC');
  });

  it('starts months on day 1, years on January 1 and weeks on a Monday', () => {
    expect(parseCalendar({ period: 'month' }).anchor).toBe('1970-01-01');
    expect(parseCalendar({ period: 'year' }).anchor).toBe('1970-01-01');
    const weekday = new Date(parseCalendar({ period: 'week' }).anchor).getUTCDay();
    expect(weekday).toBe(1);
  });
});

describe('an anchor', () => {
  it('may be a billing day of the month', () => {
    expect(parseCalendar({ period: 'month', anchor: 9 }).anchor).toBe('1970-01-09');
    expect(parseCalendar({ period: 'month', anchor: 31 }).anchor).toBe('1970-01-31');
  });

  it.each(['week', 'month', 'year'])('may be a real date for a %s', (period) => {
    expect(parseCalendar({ period, anchor: '2024-02-29' }).anchor).toBe('2024-02-29');
  });
});

describe('a time zone', () => {
  it.each([
    ['America/New_York', 'America/New_York'],
    ['america/new_york', 'America/New_York'],
    ['Asia/Kathmandu', 'Asia/Kathmandu'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['utc', 'UTC'],
    ['Etc/UTC', 'UTC'],
  ])('%s is stored as %s', (timezone, stored) => {
    expect(parseCalendar({ period: 'day', timezone }).timezone).toBe(stored);
  });

  it('is accepted for an hour, where it changes nothing', () => {
    expect(parseCalendar({ period: 'hour', timezone: 'Asia/Tokyo' }).timezone).toBe('Asia/Tokyo');
  });
});

describe('a refused calendar', () => {
  const refusals: readonly [title: string, input: CalendarInput, message: RegExp][] = [
    ['an unknown period', { period: 'quarter' }, /^period: .*hour, day, week, month, year/],
    ['an inherited property', { period: 'toString' }, /^period: /],
    ['a missing period', { period: undefined }, /^period: /],
    ['an anchored hour', { period: 'hour', anchor: '2026-01-01' }, /^anchor: .*leave it out/],
    ['an anchored day', { period: 'day', anchor: 1 }, /^anchor: .*leave it out/],
    ['day 0', { period: 'month', anchor: 0 }, /^anchor: 0 .*1 to 31/],
    ['day 32', { period: 'month', anchor: 32 }, /^anchor: 32 .*1 to 31/],
    ['half a day', { period: 'month', anchor: 1.5 }, /^anchor: 1.5 .*1 to 31/],
    ['a numbered week', { period: 'week', anchor: 1 }, /^anchor: .*whose weekday/],
    ['a numbered year', { period: 'year', anchor: 1 }, /^anchor: .*month and day/],
    ['30 February', { period: 'month', anchor: '2026-02-30' }, /^anchor: not a real date/],
    ['29 February 1900', { period: 'year', anchor: '1900-02-29' }, /^anchor: not a real date/],
    ['month 13', { period: 'year', anchor: '2026-13-01' }, /^anchor: not a real date/],
    ['a short date', { period: 'year', anchor: '2026-1-1' }, /^anchor: .*YYYY-MM-DD/],
    ['a date with a time', { period: 'month', anchor: '2026-01-31T15:30Z' }, /^anchor: /],
    ['a day as text', { period: 'month', anchor: '15' }, /^anchor: .*1 to 31/],
    ['a null anchor', { period: 'month', anchor: null }, /^anchor: not a date/],
    ['a zone that is no text', { period: 'day', timezone: 2 }, /^timezone: .*Europe\/Paris/],
  ];

  it.each(refusals)('says what is wrong with %s', (_title, input, message) => {
    expect(() => parseCalendar(input)).toThrow(message);
    expect(() => parseCalendar(input)).toThrow(InvalidInput);
  });

  it.each([
    'EST',
    'CET',
    'PST8PDT',
    'GMT',
    'SystemV/EST5EDT',
    '+02:00',
    'UTC+2',
    'Europe/Nope',
    ' UTC',
    '',
    `Europe/${'x'.repeat(1000)}`,
  ])("refuses the zone '%s' and suggests an IANA name", (timezone) => {
    expect(() => parseCalendar({ period: 'day', timezone })).toThrow(/^timezone: .*IANA/);
  });
});
