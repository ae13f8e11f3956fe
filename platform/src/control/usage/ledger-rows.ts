// A tenant's place in moving its ledger, and what was moved: rows of many tenants in one statement.

import { sql, type Kysely, type Transaction } from 'kysely';
import type { TenantRef } from 'sluice/core';
import type { Tables } from '../../database/tables.ts';
import type { UsageLine } from './usage-lines.ts';

/** The batch of a tenant's ledger that was moved last. */
export type Position = { readonly tenant: TenantRef; readonly batch: number };

const idsOf = (tenants: readonly TenantRef[]) => tenants.map(({ id }) => id);
const generationsOf = (tenants: readonly TenantRef[]) =>
  tenants.map(({ generation = 0 }) => generation);
const nameOf = (id: string, generation = 0) => `${id} ${generation}`;

/**
 * The last batches that were moved; nobody else moves any until the transaction ends. In one order,
 * so that drainers that meet wait for each other one way only.
 */
export async function lockPositions(
  tx: Transaction<Tables>,
  tenants: readonly TenantRef[],
): Promise<{ readonly positions: readonly Position[]; readonly unknown: readonly TenantRef[] }> {
  const { rows } = await sql<{ tenant_id: string; generation: number; batch: number }>`
    SELECT positions.tenant_id, positions.generation, positions.batch
    FROM ledger_positions positions
    JOIN unnest(${idsOf(tenants)}::uuid[], ${generationsOf(tenants)}::integer[])
      AS wanted (tenant_id, generation) USING (tenant_id, generation)
    ORDER BY positions.tenant_id, positions.generation FOR UPDATE OF positions`.execute(tx);
  const known = new Map(rows.map((row) => [nameOf(row.tenant_id, row.generation), row.batch]));
  const positions: Position[] = [];
  const unknown: TenantRef[] = [];
  for (const tenant of tenants) {
    const batch = known.get(nameOf(tenant.id, tenant.generation));
    if (batch === undefined) unknown.push(tenant);
    else positions.push({ tenant, batch });
  }
  return { positions, unknown };
}

/** Of a tenant that is gone nothing is kept. */
export async function makePositions(
  db: Kysely<Tables>,
  tenants: readonly TenantRef[],
): Promise<void> {
  await sql`
    INSERT INTO ledger_positions (tenant_id, generation, batch)
    SELECT tenants.id, wanted.generation, 0
    FROM unnest(${idsOf(tenants)}::uuid[], ${generationsOf(tenants)}::integer[])
      AS wanted (tenant_id, generation)
    JOIN tenants ON tenants.id = wanted.tenant_id
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING`.execute(db);
}

export async function notePositions(
  tx: Transaction<Tables>,
  batches: readonly Position[],
): Promise<void> {
  const tenants = batches.map(({ tenant }) => tenant);
  await sql`
    UPDATE ledger_positions positions SET batch = moved.batch
    FROM unnest(${idsOf(tenants)}::uuid[], ${generationsOf(tenants)}::integer[],
      ${batches.map(({ batch }) => batch)}::bigint[]) AS moved (tenant_id, generation, batch)
    WHERE positions.tenant_id = moved.tenant_id
      AND positions.generation = moved.generation`.execute(tx);
}

export async function addLines(
  tx: Transaction<Tables>,
  lines: readonly (UsageLine & { readonly tenantId: string })[],
): Promise<void> {
  await sql`
    INSERT INTO usage_counts (tenant_id, step, at, resource, limit_name, outcome, count)
    SELECT tenant_id, step, to_timestamp(at), resource, limit_name, outcome, count
    FROM unnest(${lines.map(({ tenantId }) => tenantId)}::uuid[],
      ${lines.map(({ step }) => step)}::text[],
      ${lines.map(({ at }) => at)}::bigint[],
      ${lines.map(({ resource }) => resource)}::text[],
      ${lines.map(({ limitName }) => limitName)}::text[],
      ${lines.map(({ outcome }) => outcome)}::text[],
      ${lines.map(({ count }) => count)}::bigint[])
      AS line (tenant_id, step, at, resource, limit_name, outcome, count)
    ON CONFLICT (tenant_id, step, at, resource, limit_name, outcome)
    DO UPDATE SET count = usage_counts.count + excluded.count`.execute(tx);
}
