import type { Selectable } from 'kysely';
import { parseTimezone } from 'sluice/core';
import type { TenantsTable } from '../../database/tables.ts';
import { isoOf } from '../rows.ts';

export const tenantStatuses = ['active', 'suspended'] as const;
export type TenantStatus = (typeof tenantStatuses)[number];

export type Tenant = {
  readonly id: string;
  readonly name: string;
  readonly tier: string;
  /** Null: the shared plan that is named after the tier. */
  readonly plan_id: string | null;
  readonly status: TenantStatus;
  readonly timezone: string;
  readonly billing_anchor_day: number;
  readonly pool: string | null;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
};

export type TenantPatch = {
  readonly name?: string;
  readonly tier?: string;
  readonly plan_id?: string | null;
  readonly status?: TenantStatus;
  readonly timezone?: string;
  readonly billing_anchor_day?: number;
  readonly pool?: string | null;
};

export type NewTenant = TenantPatch & { readonly name: string };

export const tenantDefaults = {
  tier: 'free',
  plan_id: null,
  status: 'active',
  timezone: 'UTC',
  billing_anchor_day: 1,
  pool: null,
} as const satisfies TenantPatch;

/** Only what is named, each field as it is stored. */
export function tenantValues<Input extends TenantPatch>(input: Input): Input {
  if (input.timezone === undefined) return input;
  return { ...input, timezone: parseTimezone(input.timezone) };
}

export function tenantOf(row: Selectable<TenantsTable>): Tenant {
  return {
    id: row.id,
    name: row.name,
    tier: row.tier,
    plan_id: row.plan_id,
    status: row.status,
    timezone: row.timezone,
    billing_anchor_day: row.billing_anchor_day,
    pool: row.pool,
    version: row.version,
    created_at: isoOf(row.created_at),
    updated_at: isoOf(row.updated_at),
  };
}
