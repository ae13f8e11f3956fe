import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseCalendar, periodAfter, periodAt } from './index.ts';
import type { CalendarInput } from './index.ts';

const HOUR_US = 3_600_000_000;

describe('a monthly calendar', () => {
  it.each([
    [31, ['01-31', '02-28', '03-31', '04-30', '05-31', '06-30', '07-31', '08-31', '09-30']],
    [30, ['01-30', '02-28', '03-30', '04-30', '05-30', '06-30']],
    [29, ['01-29', '02-28', '03-29', '04-29']],
  ])('anchored on day %i clamps to short months and never drifts', (anchor, dates) => {
    const expected = dates.map((date) => `2026-${date}T00:00:00.000Z`);
    const starts = startsFrom({ period: 'month', anchor }, '2026-01-31T12:00Z', dates.length);
    expect(starts).toEqual(expected);
  });

  it.each([29, 30, 31])('anchored on day %i reaches 29 February in a leap year', (anchor) => {
    const period = show({ period: 'month', anchor }, '2028-02-29T00:00Z');
    expect(period).toEqual(['2028-02-29T00:00:00.000Z', `2028-03-${anchor}T00:00:00.000Z`]);
  });

  it('keeps the original day a year later', () => {
    const input = { period: 'month', anchor: '2026-01-31' };
    expect(show(input, '2027-03-01T00:00Z')).toEqual([
      '2027-02-28T00:00:00.000Z',
      '2027-03-31T00:00:00.000Z',
    ]);
  });

  it('runs from December into January', () => {
    expect(show({ period: 'month', anchor: 15 }, '2027-01-03T00:00Z')).toEqual([
      '2026-12-15T00:00:00.000Z',
      '2027-01-15T00:00:00.000Z',
    ]);
    expect(show({ period: 'month' }, '2026-12-31T23:59:59.999Z')).toEqual([
      '2026-12-01T00:00:00.000Z',
      '2027-01-01T00:00:00.000Z',
    ]);
  });

  it('extends before its anchor and before 1970', () => {
    const input = { period: 'month', anchor: '2026-01-31' };
    expect(show(input, '2025-03-01T00:00Z')).toEqual([
      '2025-02-28T00:00:00.000Z',
      '2025-03-31T00:00:00.000Z',
    ]);
    expect(show(input, '1960-02-29T00:00Z')).toEqual([
      '1960-02-29T00:00:00.000Z',
      '1960-03-31T00:00:00.000Z',
    ]);
  });

  it('starts at the anchor exactly, and a microsecond earlier is the period before', () => {
    const calendar = parseCalendar({ period: 'month', anchor: '2026-01-31' });
    const anchorUs = at('2026-01-31T00:00Z');
    expect(periodAt(calendar, anchorUs).startUs).toBe(anchorUs);
    expect(periodAt(calendar, anchorUs - 1).endUs).toBe(anchorUs);
  });
});

describe('a yearly calendar', () => {
  it('anchored on 29 February uses 28 February in common years', () => {
    const input = { period: 'year', anchor: '2024-02-29' };
    expect(startsFrom(input, '2024-02-29T00:00Z', 5)).toEqual([
      '2024-02-29T00:00:00.000Z',
      '2025-02-28T00:00:00.000Z',
      '2026-02-28T00:00:00.000Z',
      '2027-02-28T00:00:00.000Z',
      '2028-02-29T00:00:00.000Z',
    ]);
  });

  it('extends before its anchor', () => {
    expect(show({ period: 'year', anchor: '2026-04-01' }, '2020-03-31T23:00Z')).toEqual([
      '2019-04-01T00:00:00.000Z',
      '2020-04-01T00:00:00.000Z',
    ]);
  });

  it('without an anchor is the calendar year', () => {
    expect(show({ period: 'year' }, '2026-12-31T23:59Z')).toEqual([
      '2026-01-01T00:00:00.000Z',
      '2027-01-01T00:00:00.000Z',
    ]);
  });
});

describe('a weekly calendar', () => {
  it('starts on Monday unless told otherwise', () => {
    expect(show({ period: 'week' }, '2026-09-13T23:59Z')).toEqual([
      '2026-09-07T00:00:00.000Z',
      '2026-09-14T00:00:00.000Z',
    ]);
  });

  it('takes the weekday of its anchor, before the anchor as well', () => {
    const sunday = { period: 'week', anchor: '2026-09-06' };
    expect(show(sunday, '2026-08-29T12:00Z')).toEqual([
      '2026-08-23T00:00:00.000Z',
      '2026-08-30T00:00:00.000Z',
    ]);
  });

  it('accepts an anchor in the first century', () => {
    const calendar = parseCalendar({ period: 'week', anchor: '0001-01-01' });
    const start = new Date(periodAt(calendar, at('2026-09-09T00:00Z')).startUs / 1000);
    expect(start.getUTCDay()).toBe(1);
  });
});

describe('an hourly calendar', () => {
  it('is aligned to UTC hours in every zone', () => {
    const period = show({ period: 'hour', timezone: 'Asia/Kathmandu' }, '2026-01-01T10:20Z');
    expect(period).toEqual(['2026-01-01T10:00:00.000Z', '2026-01-01T11:00:00.000Z']);
  });

  it('rounds down before 1970', () => {
    expect(show({ period: 'hour' }, '1969-12-31T23:30Z')).toEqual([
      '1969-12-31T23:00:00.000Z',
      '1970-01-01T00:00:00.000Z',
    ]);
  });
});

describe('a local day', () => {
  it.each([
    ['is 23 hours when New York springs forward', 'America/New_York', '2026-03-08T12:00Z', 23],
    ['is 25 hours when New York falls back', 'America/New_York', '2026-11-01T12:00Z', 25],
    ['is 24.5 hours when Lord Howe falls back', 'Australia/Lord_Howe', '2026-04-04T14:00Z', 24.5],
    ['is 23.5 hours when Lord Howe springs on', 'Australia/Lord_Howe', '2026-10-03T14:00Z', 23.5],
  ])('%s', (_title, timezone, instant, hours) => {
    const { startUs, endUs } = periodAt(parseCalendar({ period: 'day', timezone }), at(instant));
    expect((endUs - startUs) / HOUR_US).toBe(hours);
  });

  it('starts at the quarter hour in Kathmandu', () => {
    expect(show({ period: 'day', timezone: 'Asia/Kathmandu' }, '2026-01-01T18:15Z')).toEqual([
      '2026-01-01T18:15:00.000Z',
      '2026-01-02T18:15:00.000Z',
    ]);
  });

  it.each([
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'],
    ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00.000Z'],
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
    ['America/Havana', '2026-03-08', '2026-03-08T05:00:00.000Z'],
  ])('whose midnight %s skips on %s starts when the clock jumps', (timezone, date, start) => {
    const [from, to] = show({ period: 'day', timezone }, `${date}T12:00Z`);
    expect(from).toBe(start);
    expect(Date.parse(to) - Date.parse(from)).toBe(23 * 3_600_000);
  });

  it('whose midnight happens twice in Havana starts at the first', () => {
    expect(show({ period: 'day', timezone: 'America/Havana' }, '2026-11-01T05:30Z')).toEqual([
      '2026-11-01T04:00:00.000Z',
      '2026-11-02T05:00:00.000Z',
    ]);
  });

  it('that has begun stays begun when the clock goes back to the evening before', () => {
    // St John's moved its clocks at 00:01, so 23:01 to 00:00 came again after the first midnight.
    const input = { period: 'day', timezone: 'America/St_Johns' };
    const expected = ['2010-11-07T02:30:00.000Z', '2010-11-08T03:30:00.000Z'];
    expect(show(input, '2010-11-07T02:30Z')).toEqual(expected);
    expect(show(input, '2010-11-07T03:00Z')).toEqual(expected);
  });
});

describe('a date the zone skips', () => {
  const timezone = 'Pacific/Apia';
  const jump = '2011-12-30T10:00:00.000Z';

  it('is no day at all', () => {
    expect(startsFrom({ period: 'day', timezone }, '2011-12-29T12:00Z', 3)).toEqual([
      '2011-12-29T10:00:00.000Z',
      jump,
      '2011-12-31T10:00:00.000Z',
    ]);
  });

  it.each([
    ['month', '2011-11-30'],
    ['year', '2010-12-30'],
    ['week', '2011-12-30'],
  ])('still bounds a %s, at the first instant after it', (period, anchor) => {
    const calendar = parseCalendar({ period, anchor, timezone });
    expect(periodAt(calendar, at(jump)).startUs).toBe(at(jump));
    expect(periodAt(calendar, at(jump) - 1).endUs).toBe(at(jump));
  });
});

describe('a local month', () => {
  it('starts and ends at local midnights on either side of a clock change', () => {
    const input = { period: 'month', anchor: 31, timezone: 'America/New_York' };
    expect(show(input, '2026-03-15T00:00Z')).toEqual([
      '2026-02-28T05:00:00.000Z',
      '2026-03-31T04:00:00.000Z',
    ]);
  });

  it('belongs to the local date, not to the UTC one', () => {
    expect(show({ period: 'month', timezone: 'Asia/Tokyo' }, '2026-01-31T15:00Z')).toEqual([
      '2026-01-31T15:00:00.000Z',
      '2026-02-28T15:00:00.000Z',
    ]);
  });
});

describe('UTC', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('never consults Intl', async () => {
    // Fresh, so that no formatter for it can be cached already.
    vi.resetModules();
    const fresh = await import('./index.ts');
    const intl = vi.spyOn(Intl, 'DateTimeFormat');
    for (const period of ['hour', 'day', 'week', 'month', 'year']) {
      fresh.periodAt(fresh.parseCalendar({ period }), at('2026-01-01T00:00Z'));
    }
    expect(intl).not.toHaveBeenCalled();
  });
});

describe('an instant', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, 0.5, 2 ** 53])('%d is refused', (atUs) => {
    expect(() => periodAt(parseCalendar({ period: 'day' }), atUs)).toThrow(/^atUs: /);
  });
});

function at(instant: string): number {
  return Date.parse(instant) * 1000;
}

function show(input: CalendarInput, instant: string): [start: string, end: string] {
  const { startUs, endUs } = periodAt(parseCalendar(input), at(instant));
  return [toIso(startUs), toIso(endUs)];
}

function startsFrom(input: CalendarInput, instant: string, count: number): string[] {
  const calendar = parseCalendar(input);
  const starts: string[] = [];
  let bounds = periodAt(calendar, at(instant));
  while (starts.length < count) {
    starts.push(toIso(bounds.startUs));
    bounds = periodAfter(calendar, bounds);
  }
  return starts;
}

function toIso(us: number): string {
  return new Date(us / 1000).toISOString();
}
