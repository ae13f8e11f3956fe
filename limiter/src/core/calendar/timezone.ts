import { InvalidInput } from '../errors.ts';
import { DAY_MS } from './civil-date.ts';

/** Returns the name to store. Throws InvalidInput naming `timezone`. */
export function parseTimezone(value: unknown): string {
  if (typeof value !== 'string' || !isZoneName(value)) throw notAZone(value);
  const resolved = resolveZone(value);
  if (resolved === undefined) throw notAZone(value);
  // Intl answers with old spellings (Asia/Katmandu), so the caller's name is kept unless only its
  // case differs. Everything that is UTC becomes 'UTC', which needs no Intl afterwards.
  const sameName = resolved.toLowerCase() === value.toLowerCase();
  return sameName || resolved === 'UTC' ? resolved : value;
}

/** The local date at that instant, in days since 1970-01-01. */
export function localDayAt(timezone: string, atMs: number): number {
  return Math.floor((atMs + offsetMsAt(timezone, atMs)) / DAY_MS);
}

/** The first instant at which the local clock shows that date or a later one. */
export function startOfLocalDay(timezone: string, dayNumber: number): number {
  const midnightMs = dayNumber * DAY_MS;
  if (timezone === 'UTC') return midnightMs;
  // No zone has ever been 16 hours from UTC, so the local midnight lies between these two instants;
  // and since 1970 no zone has changed its offset twice in such a span, so no third one matters.
  const before = offsetMsAt(timezone, midnightMs - OFFSET_MAX_MS);
  const after = offsetMsAt(timezone, midnightMs + OFFSET_MAX_MS);
  const earlyMs = midnightMs - before;
  if (before === after || offsetMsAt(timezone, earlyMs) === before) return earlyMs;
  const lateMs = midnightMs - after;
  if (offsetMsAt(timezone, lateMs) === after) return lateMs;
  return firstInstantWithOffset(timezone, after, { fromMs: lateMs, toMs: earlyMs });
}

const OFFSET_MAX_MS = 16 * 3_600_000;

// One per zone name, whatever its case: callers cannot make it grow beyond the names that exist.
const formatters = new Map<string, Intl.DateTimeFormat>();

// Abbreviations (EST, CET) name an offset or several zones; only Area/Location names carry rules.
// SystemV/ names are such abbreviations too, kept by ICU but not by IANA.
function isZoneName(text: string): boolean {
  return text.toUpperCase() === 'UTC' || /^(?!systemv\/)[a-z]+\/[a-z0-9_+/-]+$/i.test(text);
}

function resolveZone(name: string): string | undefined {
  try {
    return formatterOf(name).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

function notAZone(value: unknown): InvalidInput {
  const shown = typeof value === 'string' && value.length <= 64 ? `'${value}'` : 'this';
  const advice =
    "write an IANA name such as 'Europe/Paris', or 'UTC'; not an abbreviation or offset";
  return new InvalidInput('timezone', `${shown} is not a known time zone; ${advice}`);
}

/** Clocks jump forward inside the span: the old offset rules its start, `offset` its end. */
function firstInstantWithOffset(
  timezone: string,
  offsetMs: number,
  span: { readonly fromMs: number; readonly toMs: number },
): number {
  let { fromMs, toMs } = span;
  while (toMs - fromMs > 1) {
    const middleMs = Math.floor((fromMs + toMs) / 2);
    if (offsetMsAt(timezone, middleMs) === offsetMs) toMs = middleMs;
    else fromMs = middleMs;
  }
  return toMs;
}

/** Local clock minus UTC. */
function offsetMsAt(timezone: string, atMs: number): number {
  if (timezone === 'UTC') return 0;
  return readOffsetMs(formatterOf(timezone).format(atMs));
}

/** Reads the tail of '1/31/2026, GMT-05:00'; seconds only appear in old local mean times. */
function readOffsetMs(text: string): number {
  const [hours = '', minutes = '0', seconds = '0'] = text
    .slice(text.indexOf('GMT') + 'GMT'.length)
    .split(':');
  const sizeMs =
    Math.abs(Number(hours)) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000;
  return hours.startsWith('-') ? -sizeMs : sizeMs;
}

function formatterOf(timezone: string): Intl.DateTimeFormat {
  const cacheKey = timezone.toLowerCase();
  const cached = formatters.get(cacheKey);
  if (cached !== undefined) return cached;
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    timeZoneName: 'longOffset',
  });
  formatters.set(cacheKey, formatter);
  return formatter;
}
