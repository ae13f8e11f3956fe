import {
  RlsRefusal,
  type RlsDescriptor,
  type RlsEntry,
  type RlsRequest,
} from '../../../rls/ask.ts';
import { uint32Max } from '../../../rls/bounds.ts';
import {
  bounds,
  overrideUnit,
  overrideUnitNumber,
  requireAsked,
  requireHits,
  requireKey,
  requireRoom,
} from '../bounds.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A `RateLimitRequest` as proto3 spells it in JSON. Throws `RlsRefusal` for what is none. */
export function readJson(text: string): RlsRequest {
  const { domain, descriptors, hitsAddend } = fieldsOf(parse(text), 'the request', [
    'domain',
    'descriptors',
    'hitsAddend',
  ]);
  const name = textOf(domain, bounds.domainBytes, 'domain');
  const listed = listOf(descriptors, 'descriptors');
  const hits = numberOf(hitsAddend, 'hitsAddend') ?? 0;
  requireAsked(name, listed.length, hits);
  requireRoom(listed.length - 1, bounds.descriptors, 'descriptors');
  return {
    domain: name,
    descriptors: listed.map((one) => descriptorOf(one, hits === 0 ? 1 : hits)),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RlsRefusal('invalid', 'the body is not JSON');
  }
}

function descriptorOf(value: unknown, hitsOfRequest: number): RlsDescriptor {
  const { entries, limit, hitsAddend, isNegativeHits } = fieldsOf(value, 'a descriptor', [
    'entries',
    'limit',
    'hitsAddend',
    'isNegativeHits',
  ]);
  const hits = numberOf(hitsAddend, 'hitsAddend');
  if (hits !== null) requireHits(hits);
  const listed = listOf(entries, 'entries');
  requireRoom(listed.length - 1, bounds.entries, 'entries in a descriptor');
  return {
    entries: listed.map(entryOf),
    limit: limit === undefined ? null : limitOf(limit),
    hits: hits ?? hitsOfRequest,
    isRefund: flagOf(isNegativeHits, 'isNegativeHits'),
  };
}

function entryOf(value: unknown): RlsEntry {
  const fields = fieldsOf(value, 'an entry', ['key', 'value']);
  const key = textOf(fields['key'], bounds.keyBytes, 'key');
  requireKey(key);
  return { key, value: textOf(fields['value'], bounds.valueBytes, 'value') };
}

function limitOf(value: unknown): RlsDescriptor['limit'] {
  const { requestsPerUnit, unit } = fieldsOf(value, 'limit', ['requestsPerUnit', 'unit']);
  const number = typeof unit === 'string' ? overrideUnitNumber(unit) : numberOf(unit, 'unit');
  return {
    requestsPerUnit: Math.min(numberOf(requestsPerUnit, 'requestsPerUnit') ?? 0, uint32Max),
    unit: overrideUnit(number ?? 0),
  };
}

/** By the names of JSON; those of the `.proto` file are taken too. Null is as if not there. */
function fieldsOf(value: unknown, what: string, names: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RlsRefusal('invalid', `${what} must be an object`);
  }
  const fields: Record<string, unknown> = {};
  for (const [given, one] of Object.entries(value)) {
    const name = given.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (!names.includes(name)) {
      throw new RlsRefusal('invalid', `${what} has a field that is not known`);
    }
    if (Object.hasOwn(fields, name)) throw new RlsRefusal('invalid', `${name} is there twice`);
    fields[name] = one ?? undefined;
  }
  return fields;
}

function textOf(value: unknown, bytesMax: number, what: string): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') throw new RlsRefusal('invalid', `${what} must be text`);
  if (Buffer.byteLength(value) > bytesMax) {
    throw new RlsRefusal('invalid', `${what} must be at most ${bytesMax} bytes`);
  }
  if (!value.isWellFormed()) throw new RlsRefusal('invalid', `${what} must be UTF-8`);
  return value;
}

function listOf(value: unknown, what: string): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new RlsRefusal('invalid', `${what} must be a list`);
  return value;
}

/** A whole number, which may be spelt as text: those of 64 bits always are. */
function numberOf(value: unknown, what: string): number | null {
  if (value === undefined) return null;
  const number = typeof value === 'string' && /^\d{1,20}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && number >= 0 && Number.isInteger(number)) return number;
  throw new RlsRefusal('invalid', `${what} must be a whole number that is not negative`);
}

function flagOf(value: unknown, what: string): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true;
  throw new RlsRefusal('invalid', `${what} must be true or false`);
}
