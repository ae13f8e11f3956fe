import { InvalidInput } from 'sluice/core';
import { limitFromWire } from 'sluice/contract';
import { rlsUnits, type RlsUnit } from '../ask.ts';
import { RlsConfigError } from './config-error.ts';
import { plainOf, type Fields } from './fields.ts';
import type { Amount, Rule } from './rule.ts';

/** Null where the descriptor limits nothing itself. */
export function readRule(descriptor: Fields): Rule | null {
  const rateLimit = descriptor.get('rate_limit');
  const own = readOwn(descriptor);
  const fields = rateLimit ? descriptor.below(rateLimit, 'rate_limit') : null;
  const amount = fields ? amountOf(fields, own.amount) : own.amount;
  if (!amount) return null;
  const { name, replaces } = fields ? namesOf(fields) : nameless;
  return Object.freeze({
    name,
    replaces,
    amount,
    isShadow: descriptor.flag('shadow_mode'),
    isQuota: descriptor.flag('quota_mode'),
    isAfterResponse: own.isAfterResponse,
    metadata: descriptor.has('metadata') ? metadataOf(descriptor) : null,
  });
}

const nameless: Pick<Rule, 'name' | 'replaces'> = { name: null, replaces: [] };

function amountOf(rateLimit: Fields, own: Amount | null): Amount {
  const unit = unitOf(rateLimit);
  if (rateLimit.flag('unlimited')) {
    if (own)
      throw refused(rateLimit, 'unlimited', 'should not specify an algorithm when unlimited');
    if (unit) throw refused(rateLimit, 'unit', 'should not specify rate limit unit when unlimited');
    return { kind: 'unlimited' };
  }
  if (own) {
    const said = ['unit', 'requests_per_unit'].find((name) => rateLimit.has(name));
    if (!said) return own;
    throw refused(rateLimit, said, `should not specify ${said} beside an algorithm of sluice`);
  }
  if (!unit) {
    const written = rateLimit.text('unit').slice(0, 64);
    throw refused(rateLimit, 'unit', `invalid rate limit unit '${written}'`);
  }
  return { kind: 'rate', requestsPerUnit: rateLimit.count('requests_per_unit'), unit };
}

function refused(fields: Fields, name: string, problem: string): RlsConfigError {
  return new RlsConfigError(fields.placeOf(name), problem);
}

function unitOf(rateLimit: Fields): RlsUnit | null {
  const written = rateLimit.text('unit').toUpperCase();
  return rlsUnits.find((unit) => unit === written) ?? null;
}

/** Gateways put names into headers as they are: a quote or a line break would write other headers. */
const namePattern = /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,128}$/;

function namesOf(rateLimit: Fields): Pick<Rule, 'name' | 'replaces'> {
  const name = rateLimit.text('name');
  if (name !== '' && !namePattern.test(name)) {
    throw new RlsConfigError(
      rateLimit.placeOf('name'),
      'name must be at most 128 printable ASCII characters without " and \\, for it is shown in headers',
    );
  }
  const replaces = rateLimit.list('replaces').map((item) => {
    const replaced = rateLimit.below(item, 'replaces').text('name');
    if (replaced === '') {
      throw new RlsConfigError(rateLimit.placeAt(item), 'should not have an empty replaces entry');
    }
    if (replaced === name) {
      throw new RlsConfigError(
        rateLimit.placeAt(item),
        'replaces should not contain name of same descriptor',
      );
    }
    return replaced;
  });
  return { name: name === '' ? null : name, replaces: Object.freeze(replaces) };
}

function metadataOf(descriptor: Fields): Readonly<Record<string, unknown>> {
  const source = descriptor.get('metadata');
  if (source?.kind !== 'map') {
    throw new RlsConfigError(
      descriptor.placeOf('metadata'),
      'error loading config file: metadata must be a map',
    );
  }
  return Object.freeze(plainOf(source) as Record<string, unknown>);
}

type Own = { readonly amount: Amount | null; readonly isAfterResponse: boolean };

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
function readOwn(descriptor: Fields): Own {
  const source = descriptor.get('sluice');
  if (!source) return { amount: null, isAfterResponse: false };
  const place = descriptor.placeAt(source);
  const refuse = (problem: string) => new RlsConfigError(place, `sluice: ${problem}`);
  if (source.kind !== 'map') throw refuse('must be a map');
  const { charging, ...limit } = plainOf(source) as Record<string, unknown>;
  if (charging !== undefined && charging !== 'after_response') {
    throw refuse('charging must be after_response, or left out');
  }
  const isAfterResponse = charging === 'after_response';
  if (Object.keys(limit).length === 0) return { amount: null, isAfterResponse };
  const misplaced = saidElsewhere.find((name) => name in limit);
  if (misplaced) throw refuse(`${misplaced} is said by the descriptor itself`);
  if (limit['algorithm'] === 'concurrency') {
    throw refuse('a gateway does not say when a call ends: concurrency limits nothing here');
  }
  try {
    const input = limitFromWire(limit, 'sluice');
    return { amount: { kind: 'algorithm', input, wire: limit }, isAfterResponse };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new RlsConfigError(place, error.message);
  }
}
