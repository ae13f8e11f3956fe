import { InvalidInput } from './errors.ts';

export type DurationUnit =
  | 'us'
  | 'ms'
  | 's'
  | 'sec'
  | 'second'
  | 'seconds'
  | 'm'
  | 'min'
  | 'minute'
  | 'minutes'
  | 'h'
  | 'hour'
  | 'hours'
  | 'd'
  | 'day'
  | 'days'
  | 'w'
  | 'week'
  | 'weeks';

/** A span of time for people: `'1.5 s'`, `'10min'`, or a number of milliseconds. */
export type Duration = number | `${number} ${DurationUnit}` | `${number}${DurationUnit}`;

/** Any Duration, unchecked: whole microseconds, at least one, or InvalidInput naming the field. */
export function parseDurationUs(value: number | string, field: string): number {
  if (typeof value === 'number') return parseMilliseconds(value, field);
  if (typeof value === 'string') return parseText(value, field);
  throw new InvalidInput(field, `not a duration; ${ADVICE}`);
}

const ADVICE = 'write a number and a unit, such as "10 s", "1.5 min" or "1 day"';

const TEXT_LENGTH_MAX = 64;

const MILLISECOND_US = 1_000;
const SECOND_US = 1_000_000;
const MINUTE_US = 60 * SECOND_US;
const HOUR_US = 60 * MINUTE_US;
const DAY_US = 24 * HOUR_US;
const WEEK_US = 7 * DAY_US;

const UNITS_US: Readonly<Record<DurationUnit, number>> = {
  us: 1,
  ms: MILLISECOND_US,
  s: SECOND_US,
  sec: SECOND_US,
  second: SECOND_US,
  seconds: SECOND_US,
  m: MINUTE_US,
  min: MINUTE_US,
  minute: MINUTE_US,
  minutes: MINUTE_US,
  h: HOUR_US,
  hour: HOUR_US,
  hours: HOUR_US,
  d: DAY_US,
  day: DAY_US,
  days: DAY_US,
  w: WEEK_US,
  week: WEEK_US,
  weeks: WEEK_US,
};

// Their length depends on the date, so no number of microseconds is right.
const CALENDAR_UNITS = /^(mo|mon|months?|quarters?|y|yr|years?)$/i;

function parseMilliseconds(value: number, field: string): number {
  if (!Number.isFinite(value)) {
    throw new InvalidInput(
      field,
      `${value} is not a duration; write a finite number of milliseconds`,
    );
  }
  if (value <= 0) throw notPositive(String(value), field);
  const shown = `${value} ms`;
  // The shortest text of a number only has an exponent far outside what microseconds can hold.
  if (value < 1e-6) throw notWhole(shown, field);
  if (value >= 1e21) throw tooLong(shown, field);
  return toMicroseconds({ decimal: String(value), unit: 'ms', shown }, field);
}

function parseText(text: string, field: string): number {
  if (text.trim() === '') throw new InvalidInput(field, `empty; ${ADVICE}`);
  if (text.length > TEXT_LENGTH_MAX) throw new InvalidInput(field, `too much text; ${ADVICE}`);
  const match = /^(-?\d+(?:\.\d+)?) ?([a-zµμ]*)$/i.exec(text);
  const [, decimal, unit] = match ?? [];
  if (decimal === undefined || unit === undefined) {
    throw new InvalidInput(field, `"${text}" is not a duration; ${ADVICE}`);
  }
  if (decimal.startsWith('-')) throw notPositive(`"${text}"`, field);
  return toMicroseconds({ decimal, unit: parseUnit({ unit, decimal }, field), shown: text }, field);
}

function parseUnit(
  { unit, decimal }: { readonly unit: string; readonly decimal: string },
  field: string,
): DurationUnit {
  if (Object.hasOwn(UNITS_US, unit)) return unit as DurationUnit;
  if (unit === '') {
    const choices = `write "${decimal} s", or the number ${decimal} for milliseconds`;
    throw new InvalidInput(field, `"${decimal}" has no unit; ${choices}`);
  }
  if (CALENDAR_UNITS.test(unit)) {
    const choices = 'use a quota for calendar months and years, or write days, such as "30 days"';
    throw new InvalidInput(field, `"${unit}" has no fixed length; ${choices}`);
  }
  const units = Object.keys(UNITS_US).join(', ');
  throw new InvalidInput(field, `"${unit}" is not a unit; write one of: ${units}`);
}

type Quantity = {
  readonly decimal: string;
  readonly unit: DurationUnit;
  readonly shown: string;
};

// Exact: 0.1 is read as one tenth from its digits, never as the nearest binary fraction.
function toMicroseconds({ decimal, unit, shown }: Quantity, field: string): number {
  const [whole = '', fraction = ''] = decimal.split('.');
  const scaledUs = BigInt(whole + fraction) * BigInt(UNITS_US[unit]);
  const scale = 10n ** BigInt(fraction.length);
  if (scaledUs === 0n) throw notPositive(`"${shown}"`, field);
  if (scaledUs % scale !== 0n) throw notWhole(shown, field);
  const us = scaledUs / scale;
  if (us > BigInt(Number.MAX_SAFE_INTEGER)) throw tooLong(shown, field);
  return Number(us);
}

function notPositive(shown: string, field: string): InvalidInput {
  return new InvalidInput(field, `${shown} is not longer than zero; ${ADVICE}`);
}

function notWhole(shown: string, field: string): InvalidInput {
  const advice = 'use fewer decimals or a smaller unit, such as "100 us"';
  return new InvalidInput(field, `"${shown}" is not a whole number of microseconds; ${advice}`);
}

function tooLong(shown: string, field: string): InvalidInput {
  return new InvalidInput(field, `"${shown}" is too long; write at most "14000 weeks"`);
}
