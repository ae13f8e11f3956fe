// Billing periods: which calendar hour, day, week, month or year an instant belongs to.
//
// Pure arithmetic on Unix microseconds; time zone rules come from the runtime's Intl data.
// Promises: periods are never empty, never overlap and leave no gap; an instant equal to a
// boundary belongs to the period that starts there. A local midnight skipped by the clock becomes
// the first instant after it; one that happens twice counts the first time.
export { parseCalendar } from './calendar.ts';
export type { Calendar, CalendarInput, CalendarPeriod } from './calendar.ts';
export { parseTimezone } from './timezone.ts';
export { periodAfter, periodAt } from './period.ts';
export type { PeriodBounds } from './period.ts';
