import { type Kysely, sql } from 'kysely';
import type { CanonicalLimit } from 'sluice/contract';
import type { Tables } from '../database/tables.ts';

/** Who defines a limit, and how. A tenant is on one plan, may move to another, and is under policies. */
export type Definition = {
  readonly by: 'plan' | 'policy';
  readonly id: string;
  /** The plan's name, or the policy's pattern. */
  readonly name: string;
  readonly limit: CanonicalLimit;
};

/** Every limit of every plan and policy. */
const definitions = sql`(
  SELECT 'plan' AS by, plans.id, plans.tenant_id, plans.name, one.value AS "limit"
  FROM plans, jsonb_array_elements(plans.limits) one
  UNION ALL
  SELECT 'policy', policies.id, policies.tenant_id, policies.resource, one.value
  FROM policies, jsonb_array_elements(policies.limits) one)`;

/** The limits of a name that can apply to a tenant, now or on another plan. */
export async function definitionsOf(
  db: Kysely<Tables>,
  { tenantId, limit }: { readonly tenantId: string; readonly limit: string },
): Promise<readonly Definition[]> {
  const { rows } = await sql<Definition>`
    SELECT by, id, name, "limit" FROM ${definitions} d
    WHERE "limit" ->> 'name' = ${limit} AND (tenant_id = ${tenantId} OR tenant_id IS NULL)
    ORDER BY by, id`.execute(db);
  return rows;
}

/** Whether anybody in sight defines such a limit, and whether one of them is for security. */
export async function surveyLimit(
  db: Kysely<Tables>,
  {
    tenantId,
    policyId,
    limit,
  }: {
    /** Null: of whatever tenant. */
    readonly tenantId: string | null;
    readonly policyId: string | null;
    readonly limit: string;
  },
): Promise<{ readonly defined: boolean; readonly security: boolean }> {
  const ofTenant =
    tenantId === null ? sql`TRUE` : sql`(tenant_id = ${tenantId} OR tenant_id IS NULL)`;
  const ofPolicy = policyId === null ? sql`TRUE` : sql`(by = 'policy' AND id = ${policyId})`;
  const { rows } = await sql<{ defined: boolean; security: boolean }>`
    SELECT count(*) > 0 AS defined,
      coalesce(bool_or(("limit" -> 'security')::boolean), false) AS security
    FROM ${definitions} d
    WHERE "limit" ->> 'name' = ${limit} AND ${ofTenant} AND ${ofPolicy}`.execute(db);
  return rows[0] ?? { defined: false, security: false };
}

/** A tenant's quota is named like a limit, and is none of a plan or policy. */
export async function isQuota(
  db: Kysely<Tables>,
  { tenantId, limit }: { readonly tenantId: string | null; readonly limit: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('quotas')
    .select('name')
    .where('name', '=', limit)
    .$if(tenantId !== null, (query) => query.where('tenant_id', '=', tenantId as string))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
