/** A date without a zone. `month` counts from 0, so that year * 12 + month counts months. */
export type CivilDate = { readonly year: number; readonly month: number; readonly day: number };

export const DAY_MS = 86_400_000;

/** Days since 1970-01-01. */
export function toDayNumber({ year, month, day }: CivilDate): number {
  // Not Date.UTC: it reads the years 0 to 99 as 1900 to 1999.
  return new Date(0).setUTCFullYear(year, month, day) / DAY_MS;
}

export function toCivilDate(dayNumber: number): CivilDate {
  const date = new Date(dayNumber * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate() };
}

/** The wished day of that month, or the last one when the month is shorter. */
export function clampToMonth({ year, month, day }: CivilDate): CivilDate {
  return { year, month, day: Math.min(day, daysInMonth(year, month)) };
}

/** Reads 'YYYY-MM-DD' without checking it; see isRealDate. */
export function readDate(text: string): CivilDate {
  return {
    year: Number(text.slice(0, 4)),
    month: Number(text.slice(5, 7)) - 1,
    day: Number(text.slice(8, 10)),
  };
}

export function isRealDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const { year, month, day } = readDate(text);
  return month >= 0 && month <= 11 && day >= 1 && day <= daysInMonth(year, month);
}

function daysInMonth(year: number, month: number): number {
  if (month === 1) return isLeapYear(year) ? 29 : 28;
  return month === 3 || month === 5 || month === 8 || month === 10 ? 30 : 31;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
