import { InvalidInput } from '../errors.ts';
import type { Calendar, CalendarPeriod } from './calendar.ts';
import type { CivilDate } from './civil-date.ts';
import { clampToMonth, readDate, toCivilDate, toDayNumber } from './civil-date.ts';
import { localDayAt, startOfLocalDay } from './timezone.ts';

/** [start, end) in whole Unix microseconds. */
export type PeriodBounds = { readonly startUs: number; readonly endUs: number };

/** The period that contains the instant. */
export function periodAt(calendar: Calendar, atUs: number): PeriodBounds {
  if (!Number.isSafeInteger(atUs)) {
    throw new InvalidInput('atUs', `${atUs} is not an instant; write whole Unix microseconds`);
  }
  return followsLocalDays(calendar) ? localPeriodAt(calendar, atUs) : hourAt(atUs);
}

/** The period that starts where this one ends. */
export function periodAfter(calendar: Calendar, bounds: PeriodBounds): PeriodBounds {
  return periodAt(calendar, bounds.endUs);
}

const HOUR_US = 3_600_000_000;

type LocalCalendar = Calendar & { readonly period: Exclude<CalendarPeriod, 'hour'> };

function followsLocalDays(calendar: Calendar): calendar is LocalCalendar {
  return calendar.period !== 'hour';
}

/** Aligned to UTC in every zone: local time never matters below a day. */
function hourAt(atUs: number): PeriodBounds {
  const startUs = Math.floor(atUs / HOUR_US) * HOUR_US;
  return { startUs, endUs: startUs + HOUR_US };
}

function localPeriodAt(calendar: LocalCalendar, atUs: number): PeriodBounds {
  // Boundaries are whole milliseconds, so dropping microseconds never crosses one.
  const atMs = Math.floor(atUs / 1000);
  let index = indexOnDay(calendar, localDayAt(calendar.timezone, atMs));
  let startMs = boundaryMs(calendar, index);
  let endMs = boundaryMs(calendar, index + 1);
  // When clocks go back across midnight the old date shows again although the new period has
  // begun; and a date the zone skipped is an empty period to step over.
  while (endMs <= atMs) {
    index += 1;
    startMs = endMs;
    endMs = boundaryMs(calendar, index + 1);
  }
  return { startUs: startMs * 1000, endUs: endMs * 1000 };
}

function boundaryMs(calendar: LocalCalendar, index: number): number {
  return startOfLocalDay(calendar.timezone, boundaryDay(calendar, index));
}

/** The last boundary on or before that local date. */
function indexOnDay(calendar: LocalCalendar, dayNumber: number): number {
  const index = indexNearDay(calendar, dayNumber);
  return boundaryDay(calendar, index) > dayNumber ? index - 1 : index;
}

/** Right, or one too many: the boundary in the date's own month or year may still lie ahead. */
function indexNearDay({ period, anchor }: LocalCalendar, dayNumber: number): number {
  switch (period) {
    case 'day':
      return dayNumber;
    case 'week':
      return Math.floor((dayNumber - toDayNumber(readDate(anchor))) / 7);
    case 'month': {
      const { year, month } = toCivilDate(dayNumber);
      return year * 12 + month;
    }
    case 'year':
      return toCivilDate(dayNumber).year;
  }
}

/**
 * The local date of a boundary, always from the anchor and never from the boundary before: after
 * 31 January and 28 February comes 31 March, not 28 March.
 */
function boundaryDay({ period, anchor }: LocalCalendar, index: number): number {
  switch (period) {
    case 'day':
      return index;
    case 'week':
      return toDayNumber(readDate(anchor)) + index * 7;
    case 'month': {
      const year = Math.floor(index / 12);
      return clampedDay({ year, month: index - year * 12, day: readDate(anchor).day });
    }
    case 'year':
      return clampedDay({ ...readDate(anchor), year: index });
  }
}

function clampedDay(wished: CivilDate): number {
  return toDayNumber(clampToMonth(wished));
}
