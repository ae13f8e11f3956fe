import type { Selectable } from 'kysely';
import { InvalidInput } from 'sluice';
import { requirePattern } from 'sluice/contract';
import { type Mode, parseMode, parseName } from 'sluice/core';
import type { ModesTable } from '../../database/tables.ts';
import { parseFuture } from '../lifetime.ts';
import { isoOf } from '../rows.ts';

export const modeScopes = ['platform', 'tenant', 'resource', 'policy', 'limit'] as const;
export type ModeScope = (typeof modeScopes)[number];

/** What an entry is for. */
export type ModeTarget = {
  readonly scope: ModeScope;
  /** Null: whichever tenant. */
  readonly tenant_id: string | null;
  readonly resource: string | null;
  readonly policy_id: string | null;
  readonly limit: string | null;
};

export type ModeEntry = ModeTarget & {
  readonly id: string;
  readonly mode: Mode;
  /** When it becomes, or became, `enforce` by itself. */
  readonly enforce_from: string | null;
  /** Meant for security limits too. */
  readonly confirm: boolean;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
};

export type ModeInput = Partial<Omit<ModeTarget, 'scope'>> & {
  readonly scope: ModeScope;
  readonly mode: string;
  readonly enforce_from?: string | null;
  readonly confirm?: boolean;
};

export type ModeValues = {
  readonly mode: Mode;
  readonly enforce_from: Date | null;
  readonly confirm: boolean;
};

const parts = ['tenant_id', 'resource', 'policy_id', 'limit'] as const;
type Part = (typeof parts)[number];

/** Which fields say what is meant. */
const partsOf: Readonly<
  Record<ModeScope, { readonly required: readonly Part[]; readonly optional: readonly Part[] }>
> = {
  platform: { required: [], optional: [] },
  tenant: { required: ['tenant_id'], optional: [] },
  resource: { required: ['resource'], optional: ['tenant_id'] },
  policy: { required: ['policy_id'], optional: [] },
  limit: { required: ['limit'], optional: ['tenant_id', 'policy_id'] },
};

export function parseTarget(input: ModeInput): ModeTarget {
  const { scope } = input;
  const { required, optional } = partsOf[scope];
  const given = parts.filter((part) => input[part] !== undefined && input[part] !== null);
  const missing = required.find((part) => !given.includes(part));
  if (missing) throw new InvalidInput(missing, `is required by the scope ${scope}`);
  const foreign = given.find((part) => !required.includes(part) && !optional.includes(part));
  if (foreign)
    throw new InvalidInput(foreign, `does not belong to the scope ${scope}; leave it out`);
  const { tenant_id = null, resource = null, policy_id = null, limit = null } = input;
  if (resource !== null) requirePattern('resource', resource);
  if (limit !== null) parseName('limit', limit);
  return { scope, tenant_id, resource, policy_id, limit };
}

export function parseValues({
  scope,
  mode: said,
  enforce_from: from = null,
  confirm = false,
}: ModeInput): ModeValues {
  const mode = parseMode('mode', said);
  if (confirm && scope !== 'limit') {
    throw new InvalidInput('confirm', 'goes with the scope limit: a guard is let down by its name');
  }
  if (from === null) return { mode, enforce_from: null, confirm };
  if (mode !== 'shadow' && mode !== 'warn') {
    throw new InvalidInput('enforce_from', `goes with shadow or warn, not with ${mode}`);
  }
  return { mode, enforce_from: parseFuture('enforce_from', from), confirm };
}

/** Nobody turns off a guard by a slip. */
export function requireConfirmed({ mode, confirm }: ModeValues, limit: string): void {
  if (mode === 'enforce' || confirm) return;
  throw new InvalidInput(
    'confirm',
    `must be true: ${limit} is a security limit, and "${mode}" lets through what it is there to stop`,
  );
}

export function modeOf(row: Selectable<ModesTable>, nowMs = Date.now()): ModeEntry {
  const { enforce_from: from } = row;
  return {
    id: row.id,
    scope: row.scope,
    tenant_id: row.tenant_id,
    resource: row.resource,
    policy_id: row.policy_id,
    limit: row.limit_name,
    mode: from !== null && from.getTime() <= nowMs ? 'enforce' : (row.mode as Mode),
    enforce_from: isoOf(from),
    confirm: row.confirm,
    version: row.version,
    created_at: isoOf(row.created_at),
    updated_at: isoOf(row.updated_at),
  };
}
