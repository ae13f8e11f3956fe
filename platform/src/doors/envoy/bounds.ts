import { RlsRefusal, type RlsUnit } from '../../rls/ask.ts';
import { requestBounds } from '../../rls/bounds.ts';

/** Low enough that reading the largest message takes less than a millisecond. */
export const bounds = { ...requestBounds, messageBytes: 262_144 } as const;

/** As `envoy.type.v3.RateLimitUnit` numbers them; it has no week. */
const overrideUnits: readonly (RlsUnit | undefined)[] = [
  undefined,
  'SECOND',
  'MINUTE',
  'HOUR',
  'DAY',
  'MONTH',
  'YEAR',
];

export function overrideUnit(number: number): RlsUnit {
  const unit = overrideUnits[number];
  if (unit !== undefined) return unit;
  throw new RlsRefusal(
    'invalid',
    'limit.unit of a descriptor must be SECOND, MINUTE, HOUR, DAY, MONTH or YEAR',
  );
}

export function overrideUnitNumber(name: string): number {
  return overrideUnits.indexOf(name as RlsUnit);
}

/** What is said of the whole request once it was read; `hitsAddend` is the request's own. */
export function requireAsked(domain: string, descriptors: number, hitsAddend: number): void {
  if (domain === '') throw new RlsRefusal('invalid', 'rate limit domain must not be empty');
  if (descriptors === 0) {
    throw new RlsRefusal('invalid', 'rate limit descriptor list must not be empty');
  }
  requireHits(hitsAddend);
}

export function requireHits(hits: number): void {
  if (hits > bounds.hits) {
    throw new RlsRefusal('invalid', `hits_addend must be at most ${bounds.hits}`);
  }
}

export function requireRoom(count: number, max: number, what: string): void {
  if (count >= max) throw new RlsRefusal('invalid', `there must be at most ${max} ${what}`);
}

export function requireKey(key: string): void {
  if (key === '')
    throw new RlsRefusal('invalid', 'the key of a descriptor entry must not be empty');
}
