import { periodAfter, periodAt, type Calendar, type PeriodBounds } from '../calendar/index.ts';
import { freshWindow, loadWindow, windowAlgorithm } from './window.ts';

export type QuotaNumbers = { readonly limit: number; readonly calendar: Calendar };

/**
 * A calendar allowance. A period that is running ends as it was announced, also when anchor or
 * time zone change meanwhile: moving the billing day must not hand out a second allowance.
 */
export const quota = windowAlgorithm<QuotaNumbers>((numbers, stored, nowUs) => {
  const running = loadWindow(stored, stored?.endUs ?? 0, nowUs);
  return running ?? freshWindow(currentPeriod(numbers.calendar, nowUs));
});

type Known = { readonly current: PeriodBounds; readonly next: PeriodBounds };

/** Periods are looked up once per calendar: a local midnight costs far more than a check. */
const known = new WeakMap<Calendar, Known>();

/** The period of this instant and the one after it, for engines whose clock is elsewhere. */
export function periodsAround(calendar: Calendar, nowUs: number): Known {
  const found = known.get(calendar);
  if (found && nowUs >= found.current.startUs && nowUs < found.current.endUs) return found;
  const current = periodAt(calendar, nowUs);
  const periods = { current, next: periodAfter(calendar, current) };
  known.set(calendar, periods);
  return periods;
}

function currentPeriod(calendar: Calendar, nowUs: number): PeriodBounds {
  return periodsAround(calendar, nowUs).current;
}
