import type { Selectable } from 'kysely';
import { InvalidInput } from 'sluice';
import { requirePattern } from 'sluice/contract';
import { parseName } from 'sluice/core';
import type { OverridesTable } from '../../database/tables.ts';
import { type End, parseEnd, phaseOf, requireSoon } from '../lifetime.ts';
import { isoOf, parseInstant } from '../rows.ts';
import type { Numbers } from './numbers.ts';

export const overrideStatuses = ['active', 'scheduled', 'expired'] as const;
export type OverrideStatus = (typeof overrideStatuses)[number];

export const attributesMax = 8;

export type Override = {
  readonly id: string;
  readonly tenant_id: string;
  /** By its name. */
  readonly limit: string;
  /** Who defines it, where more than one does. */
  readonly plan_id: string | null;
  readonly policy_id: string | null;
  /** Null: whatever the resource, whoever the subject. */
  readonly resource: string | null;
  readonly subject: string | null;
  readonly attributes: Readonly<Record<string, string>>;
  readonly numbers: Numbers;
  readonly starts_at: string | null;
  readonly expires_at: string | null;
  readonly status: OverrideStatus;
  readonly reason: string;
  /** Who made it: the id of a token, or `bootstrap`. */
  readonly author: string;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
};

export type OverridePatch = End & {
  readonly resource?: string | null;
  readonly subject?: string | null;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly numbers?: Numbers;
  readonly starts_at?: string | null;
  readonly reason?: string;
};

export type OverrideInput = OverridePatch & {
  readonly tenant_id: string;
  readonly limit: string;
  readonly plan_id?: string | null;
  readonly policy_id?: string | null;
  readonly numbers: Numbers;
  readonly reason: string;
};

export type OverrideRow = Selectable<OverridesTable>;

/** What may be changed of an override, as it is stored. */
export type OverrideValues = Pick<
  OverrideRow,
  'resource' | 'subject' | 'attributes' | 'starts_at' | 'expires_at' | 'reason'
> & { readonly numbers: Numbers };

export const overrideDefaults = {
  resource: null,
  subject: null,
  attributes: {},
  starts_at: null,
  expires_at: null,
} as const satisfies Partial<OverrideValues>;

/** What was said before, with what the patch says instead; still to be held against the limit. */
export function patchedValues(before: OverrideValues, patch: OverridePatch): OverrideValues {
  const { starts_at: start, expires_at: _, ttl_seconds: __, ...rest } = patch;
  if (typeof rest.resource === 'string') requirePattern('resource', rest.resource);
  for (const name of Object.keys(rest.attributes ?? {})) parseName('attributes', name);
  const startsAt = start === undefined ? before.starts_at : parseStart(start);
  const end = parseEnd(patch, startsAt);
  const expiresAt = end === undefined ? before.expires_at : end;
  requireOrder(startsAt, expiresAt, end === undefined ? 'starts_at' : 'expires_at');
  return { ...before, ...rest, starts_at: startsAt, expires_at: expiresAt };
}

function parseStart(text: string | null): Date | null {
  return text === null ? null : requireSoon('starts_at', parseInstant('starts_at', text));
}

function requireOrder(start: Date | null, end: Date | null, field: string): void {
  if (start === null || end === null || start < end) return;
  const problem = field === 'starts_at' ? 'must be before expires_at' : 'must be after starts_at';
  throw new InvalidInput(field, problem);
}

export function valuesOf(row: OverrideRow): OverrideValues {
  const { resource, subject, attributes, numbers, starts_at, expires_at, reason } = row;
  return { resource, subject, attributes, numbers, starts_at, expires_at, reason };
}

export function overrideOf(row: OverrideRow, nowMs = Date.now()): Override {
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    limit: row.limit_name,
    plan_id: row.plan_id,
    policy_id: row.policy_id,
    resource: row.resource,
    subject: row.subject,
    attributes: row.attributes,
    numbers: row.numbers,
    starts_at: isoOf(row.starts_at),
    expires_at: isoOf(row.expires_at),
    status: phaseOf(row, nowMs),
    reason: row.reason,
    author: row.author,
    version: row.version,
    created_at: isoOf(row.created_at),
    updated_at: isoOf(row.updated_at),
  };
}
