import { rlsUnits, type RlsUnit } from '../ask.ts';
import { RlsConfigError } from './config-error.ts';
import { plainOf, type Fields } from './fields.ts';
import { readOwn, requireGrantable } from './read-own.ts';
import type { Amount, Rule } from './rule.ts';

/** Null where the descriptor limits nothing itself. */
export function readRule(descriptor: Fields): Rule | null {
  const rateLimit = descriptor.get('rate_limit');
  const own = readOwn(descriptor);
  const fields = rateLimit ? descriptor.below(rateLimit, 'rate_limit') : null;
  const amount = fields ? amountOf(fields, own.amount) : own.amount;
  if (own.grant) requireGrantable(descriptor, own.grant, amount);
  if (!amount) return null;
  const { name, replaces } = fields ? namesOf(fields) : nameless;
  return Object.freeze({
    name,
    replaces,
    amount,
    isShadow: descriptor.flag('shadow_mode'),
    isQuota: descriptor.flag('quota_mode'),
    isAfterResponse: own.isAfterResponse,
    grant: own.grant,
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
