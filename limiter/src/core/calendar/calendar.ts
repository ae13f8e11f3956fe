import { InvalidInput } from '../errors.ts';
import { isRealDate } from './civil-date.ts';
import { parseTimezone } from './timezone.ts';

export type CalendarPeriod = 'hour' | 'day' | 'week' | 'month' | 'year';

export type Calendar = {
  readonly period: CalendarPeriod;
  /**
   * Local date 'YYYY-MM-DD' that gives the periods their phase: the weekday of a week, the day of
   * a month, the month and day of a year. Periods exist before it as well.
   */
  readonly anchor: string;
  /** IANA name. */
  readonly timezone: string;
};

export type CalendarInput = { period: unknown; anchor?: unknown; timezone?: unknown };

/** Throws InvalidInput naming `period`, `anchor` or `timezone`. */
export function parseCalendar(input: CalendarInput): Calendar {
  const period = parsePeriod(input.period);
  const anchor = parseAnchor(period, input.anchor);
  const timezone = input.timezone === undefined ? 'UTC' : parseTimezone(input.timezone);
  return { period, anchor, timezone };
}

// 1970-01-05 is a Monday; the rest start on the first day of a month and a year.
const DEFAULT_ANCHORS: Readonly<Record<CalendarPeriod, string>> = {
  hour: '1970-01-01',
  day: '1970-01-01',
  week: '1970-01-05',
  month: '1970-01-01',
  year: '1970-01-01',
};

const ANCHOR_ADVICE: Readonly<Record<'week' | 'month' | 'year', string>> = {
  week: "write a date such as '2026-01-05', whose weekday starts every week",
  month: "write a day from 1 to 31, or a date such as '2026-01-31'",
  year: "write a date such as '2026-04-01', whose month and day start every year",
};

function parsePeriod(value: unknown): CalendarPeriod {
  if (typeof value === 'string' && Object.hasOwn(DEFAULT_ANCHORS, value)) {
    return value as CalendarPeriod;
  }
  const periods = Object.keys(DEFAULT_ANCHORS).join(', ');
  throw new InvalidInput('period', `not a calendar period; write one of: ${periods}`);
}

function parseAnchor(period: CalendarPeriod, value: unknown): string {
  if (value === undefined) return DEFAULT_ANCHORS[period];
  if (period === 'hour' || period === 'day') {
    throw new InvalidInput('anchor', `a ${period} has no anchor; leave it out`);
  }
  if (typeof value === 'number') return parseBillingDay(period, value);
  if (typeof value === 'string') return parseAnchorDate(period, value);
  throw new InvalidInput('anchor', `not a date; ${ANCHOR_ADVICE[period]}`);
}

function parseBillingDay(period: 'week' | 'month' | 'year', day: number): string {
  if (period !== 'month') {
    throw new InvalidInput('anchor', `a number only fits a month; ${ANCHOR_ADVICE[period]}`);
  }
  if (!Number.isInteger(day) || day < 1 || day > 31) {
    throw new InvalidInput('anchor', `${day} is not a day of a month; ${ANCHOR_ADVICE.month}`);
  }
  // January has 31 days, so every billing day is a real date there.
  return `1970-01-${String(day).padStart(2, '0')}`;
}

function parseAnchorDate(period: 'week' | 'month' | 'year', date: string): string {
  if (isRealDate(date)) return date;
  throw new InvalidInput('anchor', `not a real date (YYYY-MM-DD); ${ANCHOR_ADVICE[period]}`);
}
