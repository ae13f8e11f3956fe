import { InvalidInput, parseLimit, type LimitInput } from 'sluice/core';
import { limitFromWire } from 'sluice/contract';
import { RlsConfigError } from './config-error.ts';
import { plainOf, type Fields } from './fields.ts';
import type { Amount, Grant } from './rule.ts';

export type Own = {
  readonly amount: Amount | null;
  readonly isAfterResponse: boolean;
  readonly grant: Grant | null;
};

const nothing: Own = { amount: null, isAfterResponse: false, grant: null };

/** What a descriptor says itself, or what the gateway knows better: nothing for a limit to say here. */
const saidElsewhere = [
  'name',
  'per',
  'on_missing',
  'unit',
  'mode',
  'resources',
  'when',
  'share_of',
];

/** Our own words below `sluice`. */
export function readOwn(descriptor: Fields): Own {
  const source = descriptor.get('sluice');
  if (!source) return nothing;
  const refuse = refusing(descriptor);
  if (source.kind !== 'map') throw refuse('must be a map');
  const { charging, grant, grant_seconds, ...limit } = plainOf(source) as Record<string, unknown>;
  if (charging !== undefined && charging !== 'after_response') {
    throw refuse('charging must be after_response, or left out');
  }
  const isAfterResponse = charging === 'after_response';
  const said = { isAfterResponse, grant: grantOf(grant, grant_seconds, refuse) };
  if (said.grant && isAfterResponse) {
    throw refuse('grant is for what is still to happen: leave out charging');
  }
  if (Object.keys(limit).length === 0) return { amount: null, ...said };
  const misplaced = saidElsewhere.find((name) => name in limit);
  if (misplaced) throw refuse(`${misplaced} is said by the descriptor itself`);
  if (limit['algorithm'] === 'concurrency') {
    throw refuse('a gateway does not say when a call ends: concurrency limits nothing here');
  }
  try {
    const input = limitFromWire(limit, 'sluice');
    return { amount: { kind: 'algorithm', input, wire: limit }, ...said };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new RlsConfigError(descriptor.placeAt(source), error.message);
  }
}

type Refuse = (problem: string) => RlsConfigError;

function refusing(descriptor: Fields): Refuse {
  return (problem) => new RlsConfigError(descriptor.placeOf('sluice'), `sluice: ${problem}`);
}

const grantMax = 1_000_000;
const grantSecondsMax = 86_400;

function grantOf(grant: unknown, seconds: unknown, refuse: Refuse): Grant | null {
  if (seconds !== undefined && !isCount(seconds, grantSecondsMax)) {
    throw refuse(`grant_seconds must be a whole number from 1 to ${grantSecondsMax}`);
  }
  if (grant === undefined) {
    if (seconds === undefined) return null;
    throw refuse('grant_seconds says how long a grant lasts: there is no grant');
  }
  if (!isCount(grant, grantMax)) {
    throw refuse(`grant must be a whole number from 1 to ${grantMax}`);
  }
  return { requests: grant, seconds: seconds ?? null };
}

function isCount(value: unknown, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max;
}

/** One that never fits, or that shuts out who asks for it, would be no grant. */
export function requireGrantable(
  descriptor: Fields,
  { requests }: Grant,
  amount: Amount | null,
): void {
  const refuse = refusing(descriptor);
  if (!amount || amount.kind === 'unlimited') throw refuse('grant needs a limit to take it from');
  const size = amount.kind === 'rate' ? amount.requestsPerUnit : sizeOf(amount.input);
  if (requests >= size) {
    throw refuse(`grant must be less than the limit of ${size}, for a request takes it and itself`);
  }
  if (amount.kind === 'algorithm' && 'block_for_seconds' in amount.wire) {
    throw refuse('grant can not stand beside block_for_seconds: what does not fit would block');
  }
}

function sizeOf(input: LimitInput): number {
  const limit = { ...input, name: 'sluice', mode: 'enforce' } as LimitInput;
  return parseLimit(limit, { definedBy: 'rls', field: 'sluice' })?.size ?? 0;
}
