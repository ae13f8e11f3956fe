import type { Selectable } from 'kysely';
import { InvalidInput } from 'sluice';
import { type Mode, oneOf, parseMode, parseName, refuseUnknownFields } from 'sluice/core';
import type { QuotaTopUpsTable, QuotasTable } from '../../database/tables.ts';
import { isoOf } from '../rows.ts';
import { parseLimit, parseTeams, requireFit, type Teams } from './teams.ts';

export const quotaPeriods = ['hour', 'day', 'week', 'month', 'year'] as const;
export type QuotaPeriod = (typeof quotaPeriods)[number];

/** What a quota says; the rest of it is kept about it. */
export type QuotaValues = {
  readonly name: string;
  readonly period: QuotaPeriod;
  readonly unit: string;
  /** Of the organisation. */
  readonly limit: number;
  /** Null inherits. */
  readonly mode: Mode | null;
  /** Whether parts may be promised more than the whole has. */
  readonly overcommit: boolean;
  readonly teams: Teams;
};

export type Quota = QuotaValues & {
  readonly tenant_id: string;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
};

export type TopUp = {
  readonly id: string;
  readonly amount: number;
  readonly reason: string;
  readonly author: string;
  readonly ends_at: string;
  readonly created_at: string;
};

/** Fields of a quota as the API spells them. */
export type QuotaInput = Readonly<Record<string, unknown>>;

export const quotaDefaults = {
  name: 'quota',
  period: 'month',
  unit: 'requests',
  mode: null,
  overcommit: false,
  teams: {},
} as const;

const knownFields = [...Object.keys(quotaDefaults), 'limit'];

/** Its levels are limits named after it, and a limit's name has at most 64 characters. */
const nameLengthMax = 59;

/** Everything a quota says, whether just written or patched into what it said before. */
export function parseQuota(input: QuotaInput): QuotaValues {
  refuseUnknownFields('', input, knownFields);
  const given = { ...quotaDefaults, ...input } as Readonly<Record<keyof QuotaValues, unknown>>;
  const values = {
    name: parseQuotaName(given.name),
    period: oneOf('period', given.period, quotaPeriods),
    unit: parseName('unit', given.unit),
    limit: parseLimit('limit', given.limit),
    mode: given.mode === null ? null : parseMode('mode', given.mode),
    overcommit: parseSwitch('overcommit', given.overcommit),
    teams: parseTeams(given.teams),
  };
  if (!values.overcommit) requireFit(values.limit, values.teams);
  return values;
}

function parseQuotaName(value: unknown): string {
  const name = parseName('name', value);
  if (name.length <= nameLengthMax) return name;
  throw new InvalidInput('name', `must have at most ${nameLengthMax} characters`);
}

function parseSwitch(field: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new InvalidInput(field, 'must be true or false');
}

/** The quota that a patch asks for, to be parsed like a new one. */
export function patchedQuota(before: Quota, patch: QuotaInput): QuotaInput {
  const { name, period, unit, limit, mode, overcommit, teams } = before;
  return { name, period, unit, limit, mode, overcommit, teams, ...patch };
}

/** What a tenant is limited by: not its own to change, whatever it does within. */
const platformFields = ['name', 'period', 'unit', 'limit', 'mode'] as const;

/** The first field that only the platform may change, and that a change would change. */
export function outOfReach(before: QuotaValues, after: QuotaValues): string | null {
  return platformFields.find((field) => before[field] !== after[field]) ?? null;
}

export function quotaOf(row: Selectable<QuotasTable>): Quota {
  return {
    tenant_id: row.tenant_id,
    name: row.name,
    period: row.period as QuotaPeriod,
    unit: row.unit,
    limit: row.allowance,
    mode: row.mode as Mode | null,
    overcommit: row.overcommit,
    teams: row.teams as Teams,
    version: row.version,
    created_at: isoOf(row.created_at),
    updated_at: isoOf(row.updated_at),
  };
}

export function topUpOf(row: Selectable<QuotaTopUpsTable>): TopUp {
  return {
    id: row.id,
    amount: row.amount,
    reason: row.reason,
    author: row.author,
    ends_at: isoOf(row.ends_at),
    created_at: isoOf(row.created_at),
  };
}
