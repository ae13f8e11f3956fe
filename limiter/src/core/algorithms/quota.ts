import { periodAfter, periodAt, type Calendar, type PeriodBounds } from '../calendar/index.ts';
import type { Algorithm } from './algorithm.ts';
import {
  chargeWindow,
  freshWindow,
  loadWindow,
  refundWindow,
  showWindow,
  windowAdmits,
  type WindowState,
} from './window.ts';

export type QuotaNumbers = { readonly limit: number; readonly calendar: Calendar };

/**
 * A calendar allowance. A period that is running ends as it was announced, also when anchor or
 * time zone change meanwhile: moving the billing day must not hand out a second allowance.
 */
export const quota: Algorithm<QuotaNumbers, WindowState, WindowState> = {
  sizeOf: (numbers) => numbers.limit,

  load(numbers, stored, nowUs) {
    const running = loadWindow(stored, stored?.endUs ?? 0, nowUs);
    return running ?? freshWindow(currentPeriod(numbers.calendar, nowUs));
  },

  admits: (numbers, state, amount) => windowAdmits(numbers.limit, state, amount),
  charge: (numbers, state, amount) => chargeWindow(numbers.limit, state, amount),
  refund: (_numbers, state, refund) => refundWindow(state, refund),
  expiresAtUs: (_numbers, state) => state.endUs,
  recoveryUs: () => null,
  read: (_numbers, state) => state,
  show: (numbers, state, amount, nowUs) => showWindow(numbers.limit, state, amount, nowUs),
};

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
