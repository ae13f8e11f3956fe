import type { BoundLimit, Reserve } from './engine.ts';
import { InvalidInput } from './errors.ts';
import type { Limit, PerPart } from './limit.ts';
import { listOf } from './list.ts';
import { describe, parseWhole } from './numbers.ts';
import { oneOf, parseName, parseText, refuseUnknownFields, requireObject } from './parse.ts';

/** The question: may this subject do this, at this cost? */
export type Check = {
  readonly resource: string;
  readonly subject: string;
  /** Default `default`: a library that serves one customer need not name it. */
  readonly tenant?: string;
  readonly cost?: number;
  readonly costs?: Readonly<Record<string, number>>;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string;
  readonly reserve?: { readonly ttlMs: number; readonly onExpiry?: 'refund' | 'keep' };
};

/** A check that was parsed: defaults filled in, every bound kept. */
export type ParsedCheck = {
  readonly resource: string;
  readonly subject: string;
  readonly tenant: string;
  /** The public id of the API key that asks; null where there are no keys, as in the library. */
  readonly key: string | null;
  readonly cost: number;
  readonly costs: Readonly<Record<string, number>>;
  readonly attributes: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | null;
  readonly reserve: Reserve | null;
};

const subjectLengthMax = 1024;
export const resourceLengthMax = 2048;
const entriesMax = 64;
export const costMax = 2 ** 50;
const reserveMsMax = 86_400_000;
/** Without a prototype: `constructor` is a unit like any other, and not among these. */
export const none: Readonly<Record<string, never>> = Object.freeze(Object.create(null));
const knownFields = [
  'resource',
  'subject',
  'tenant',
  'cost',
  'costs',
  'attributes',
  'idempotencyKey',
  'reserve',
];

export function parseCheck(check: Check): ParsedCheck {
  if (typeof check !== 'object' || check === null) {
    throw new InvalidInput('check', `must be an object, got ${describe(check)}`);
  }
  refuseUnknownFields('', check, knownFields);
  const { tenant, cost, costs, attributes, idempotencyKey, reserve } = check;
  return {
    resource: parseText('resource', check.resource, resourceLengthMax),
    subject: parseText('subject', check.subject, subjectLengthMax),
    tenant: tenant === undefined ? 'default' : parseText('tenant', tenant, subjectLengthMax),
    key: null,
    cost: cost === undefined ? 1 : parseCost('cost', cost),
    costs: costs === undefined ? none : parseCosts(costs),
    attributes: attributes === undefined ? none : parseAttributes(attributes),
    idempotencyKey: idempotencyKey === undefined ? null : parseIdempotencyKey(idempotencyKey),
    reserve: reserve === undefined ? null : parseReserve(reserve),
  };
}

/** Nothing is asked for in any unit. */
export function isPeek(check: ParsedCheck): boolean {
  if (check.cost !== 0) return false;
  for (const unit in check.costs) if (check.costs[unit] !== 0) return false;
  return true;
}

/** The limits that apply to a check, each with whom it counts and what the call costs on it. */
export function bind(limits: readonly Limit[], check: ParsedCheck): BoundLimit[] {
  const bound = listOf<BoundLimit>(limits.length);
  let count = 0;
  for (const limit of limits) {
    const parts = partsOf(limit, check);
    if (parts) bound[count++] = { limit, parts, cost: costOn(limit, check) };
  }
  if (count < bound.length) bound.length = count;
  return bound;
}

/** Null when the limit does not apply, for the check lacks what it counts by. */
function partsOf(limit: Limit, check: ParsedCheck): BoundLimit['parts'] | null {
  const { identifiedBy, onMissing } = limit;
  const parts = listOf<string | null>(identifiedBy.length);
  for (let at = 0; at < parts.length; at += 1) {
    const part = identifiedBy[at] as PerPart;
    const value = valueOf(part, check) ?? null;
    if (value === null && onMissing === 'skip') return null;
    if (value === null && onMissing === 'reject') {
      throw new InvalidInput(part, `is required by the limit ${limit.name}`);
    }
    parts[at] = value;
  }
  return parts;
}

function costOn({ unit }: Limit, check: ParsedCheck): number {
  return unit === 'requests' ? check.cost : (check.costs[unit] ?? 0);
}

export function valueOf(part: PerPart, check: ParsedCheck): string | undefined {
  if (part === 'global') return undefined;
  if (part === 'tenant') return check.tenant;
  if (part === 'subject') return check.subject;
  if (part === 'resource') return check.resource;
  if (part === 'key') return check.key ?? undefined;
  const name = part.slice('attributes.'.length);
  return Object.hasOwn(check.attributes, name) ? check.attributes[name] : undefined;
}

export function parseCost(field: string, value: unknown): number {
  return parseWhole(field, value, { min: 0, max: costMax });
}

export function parseCosts(costs: unknown): Readonly<Record<string, number>> {
  const parsed: Record<string, number> = Object.create(null);
  for (const [unit, cost] of entriesOf('costs', costs)) {
    if (unit === 'requests') throw new InvalidInput('costs.requests', 'is what `cost` says');
    parsed[parseName('costs', unit)] = parseCost(`costs.${unit}`, cost);
  }
  return parsed;
}

function parseAttributes(attributes: unknown): Readonly<Record<string, string>> {
  const parsed: Record<string, string> = Object.create(null);
  for (const [name, value] of entriesOf('attributes', attributes)) {
    parsed[parseName('attributes', name)] = parseText(
      `attributes.${name}`,
      value,
      subjectLengthMax,
    );
  }
  return parsed;
}

function entriesOf(field: string, value: unknown): [string, unknown][] {
  requireObject(field, value);
  const entries = Object.entries(value as object);
  if (entries.length > entriesMax) {
    throw new InvalidInput(field, `must have at most ${entriesMax} entries, got ${entries.length}`);
  }
  return entries;
}

const idempotencyPattern = /^[A-Za-z0-9_.-]{8,128}$/;

function parseIdempotencyKey(value: unknown): string {
  if (typeof value === 'string' && idempotencyPattern.test(value)) return value;
  throw new InvalidInput('idempotencyKey', 'must be 8 to 128 letters, digits, "-", "_" or "."');
}

function parseReserve(value: NonNullable<Check['reserve']>): Reserve {
  requireObject('reserve', value);
  refuseUnknownFields('reserve', value, ['ttlMs', 'onExpiry']);
  return {
    ttlMs: parseWhole('reserve.ttlMs', value.ttlMs, { min: 1, max: reserveMsMax }),
    onExpiry: oneOf('reserve.onExpiry', value.onExpiry ?? 'refund', ['refund', 'keep']),
  };
}
