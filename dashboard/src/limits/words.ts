import type { CanonicalLimit } from 'sluice/contract';
import { count, lasting } from '../ui/words.ts';

/** `100 in any minute`, `bursts of 10, then 2 a second`. */
export function limitInWords(limit: CanonicalLimit): string {
  const size = sizeInWords(limit);
  switch (limit.algorithm) {
    case 'token_bucket': {
      const { refill_rate_per_sec: rate } = limit as { readonly refill_rate_per_sec?: number };
      return rate === undefined
        ? `bursts of ${size}`
        : `bursts of ${size}, then ${rateInWords(rate)}`;
    }
    case 'fixed_window':
      return `${size} in each ${spanInWords(limit.window_seconds)}`;
    case 'sliding_window_log':
      return `${size} in any ${spanInWords(limit.window_seconds)}`;
    case 'sliding_window_counter':
      return `${size} in about any ${spanInWords(limit.window_seconds)}`;
    case 'concurrency':
      return `${size} at once`;
    case 'quota':
      return `${size} a ${limit.period}`;
  }
}

const sizes = ['bucket_capacity', 'limit', 'max_concurrent'] as const;

function sizeInWords(limit: CanonicalLimit): string {
  if (limit.share_of) return `${percent(limit.share_of.ratio)} of ${limit.share_of.limit}`;
  const fields = limit as Readonly<Record<string, unknown>>;
  const size = Number(sizes.map((name) => fields[name]).find((value) => value !== undefined));
  return limit.unit === undefined || limit.unit === 'requests'
    ? count(size)
    : `${count(size)} ${limit.unit}`;
}

/** `2 a second`, `30 a minute`: in the unit that needs no fraction, if there is one. */
export function rateInWords(perSecond: number): string {
  for (const [unit, seconds] of rateUnits) {
    const amount = perSecond * seconds;
    if (amount >= 1) return `${tidy(amount)} a ${unit}`;
  }
  return `${tidy(perSecond * 86_400)} a day`;
}

const rateUnits = [
  ['second', 1],
  ['minute', 60],
  ['hour', 3600],
  ['day', 86_400],
] as const;

const oneUnit: Readonly<Record<number, string>> = {
  1: 'second',
  60: 'minute',
  3600: 'hour',
  86_400: 'day',
  604_800: 'week',
};

function spanInWords(seconds: number): string {
  if (seconds < 1) return `${tidy(seconds * 1000)} ms`;
  return oneUnit[seconds] ?? lasting(seconds * 1000);
}

export function percent(ratio: number): string {
  return `${tidy(ratio * 100)}\u00A0%`;
}

const short = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

function tidy(value: number): string {
  return value >= 1000 ? whole.format(value) : short.format(value);
}

/** `for each tenant and subject`. */
export function perInWords({ per = perDefault }: { readonly per?: readonly string[] }): string {
  if (per.includes('global')) return 'for all tenants together';
  const ordered = per.toSorted((a, b) => placeOf(a) - placeOf(b));
  const names = ordered.map((part) => partNames[part] ?? part.replace('attributes.', ''));
  const last = names.at(-1) ?? '';
  const list = names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
  return `for each ${list}`;
}

export const perDefault: readonly string[] = ['tenant', 'subject', 'resource'];

const partNames: Readonly<Record<string, string>> = { key: 'API key' };

/** From the widest to the narrowest; attributes come last. */
function placeOf(part: string): number {
  const place = ['tenant', 'key', 'subject', 'resource'].indexOf(part);
  return place < 0 ? 4 : place;
}
