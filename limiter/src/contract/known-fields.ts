import type { AlgorithmName } from '../core/algorithms/index.ts';
import { InvalidInput } from '../core/errors.ts';
import { oneOf, refuseUnknownFields } from '../core/parse.ts';
import {
  commonFields,
  fieldsToCome,
  listOwn,
  ownersOf,
  ownFields,
  platformFields,
  sizeFields,
  type LimitField,
} from './limit-fields.ts';
import { pathOf } from './wire-parse.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Another algorithm's field, one that is to come and one we never heard of, each by its name. */
export function requireKnownFields(fields: Fields, algorithm: AlgorithmName, field: string): void {
  const own = listOwn(algorithm);
  for (const name of Object.keys(fields)) {
    const path = pathOf(field, name);
    if (Object.hasOwn(fieldsToCome, name)) refuseToCome(path, fields[name], fieldsToCome[name]);
    // The library takes it for a default in some places; stored, it would be neither.
    if (fields[name] === null) throw new InvalidInput(path, 'must not be null; leave it out');
    const owners = own.includes(name as LimitField) ? [] : ownersOf(name);
    if (owners.length === 0) continue;
    throw new InvalidInput(
      path,
      `belongs to ${owners.join(', ')}; leave it out, ${algorithm} takes ${own.join(', ')}`,
    );
  }
  refuseUnknownFields(field, fields, [
    'name',
    'algorithm',
    ...own,
    ...commonFields,
    ...platformFields,
    ...Object.keys(fieldsToCome),
  ]);
  requireSupported(fields, field);
}

export function requireOwnFields(fields: Fields, algorithm: AlgorithmName, field: string): void {
  const shared = fields['share_of'] !== undefined;
  for (const name of ownFields[algorithm].required) {
    if (fields[name] !== undefined || (shared && isShared(name, algorithm))) continue;
    throw new InvalidInput(pathOf(field, name), `is required by ${algorithm}`);
  }
}

/** What a share of another limit says: how much there is, and how fast a bucket refills. */
function isShared(name: LimitField, algorithm: AlgorithmName): boolean {
  return name === sizeFields[algorithm] || name === 'refill_rate_per_sec';
}

/** Values of known fields that are part of the contract, and not yet of the program. */
function requireSupported({ consistency }: Fields, field: string): void {
  if (consistency === undefined) return;
  if (consistency === 'leased') throw notYet(pathOf(field, 'consistency'), 'leased');
  oneOf(pathOf(field, 'consistency'), consistency, ['exact']);
}

function refuseToCome(path: string, value: unknown, harmless: unknown): void {
  if (value === undefined || (harmless !== undefined && value === harmless)) return;
  throw new InvalidInput(path, 'is not supported yet; leave it out');
}

function notYet(path: string, value: string): InvalidInput {
  return new InvalidInput(path, `"${value}" is not supported yet; use another value`);
}
