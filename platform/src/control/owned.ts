import { type Expression, type Kysely, sql, type SqlBool } from 'kysely';
import { InvalidInput } from 'sluice';
import type { Tables } from '../database/tables.ts';
import type { Change } from './change.ts';
import { Conflict, NotFound } from './errors.ts';
import { found, isUuid, requireTenant, requireUuid } from './rows.ts';

/** Plans, policies, blocks and modes are a tenant's, or shared by all. */

export const shared = 'shared';

/** By a tenant's id, or by the word for what has none. */
export function whereOwner(owner: string): Expression<SqlBool> {
  if (owner === shared) return sql`tenant_id IS NULL`;
  if (!isUuid(owner)) throw new InvalidInput('tenant_id', `must be a tenant's id, or ${shared}`);
  return sql`tenant_id = ${owner}`;
}

/**
 * Before something is made for a tenant, or for all. A tenant is deleted under the lock that the
 * touch takes: one that is there afterwards stays until the transaction ends.
 */
export async function touchOwner(
  change: Change,
  tenantId: string | null,
  cause: string,
): Promise<void> {
  if (tenantId !== null) await requireTenant(change.tx, tenantId);
  await change.touch(tenantId, cause);
  if (tenantId !== null) await requireTenant(change.tx, tenantId);
}

/** The tenant's own or a shared one; kept from being deleted until the transaction ends. */
export async function keepReachable(
  tx: Kysely<Tables>,
  {
    table,
    noun,
    id,
    tenantId,
  }: {
    readonly table: 'plans' | 'policies';
    readonly noun: string;
    readonly id: string;
    readonly tenantId: string | null;
  },
): Promise<void> {
  const { rows } = await sql<{ tenant_id: string | null }>`
    SELECT tenant_id FROM ${sql.table(table)} WHERE id = ${requireUuid(noun, id)}
    FOR KEY SHARE`.execute(tx);
  const { tenant_id: owner } = found(noun, rows[0]);
  if (owner !== null && owner !== tenantId) throw new NotFound(noun);
}

/** After the touch: changes of one owner take turns, so that none is counted twice or missed. */
export async function requireRoom(
  tx: Kysely<Tables>,
  {
    table,
    tenantId,
    tenant,
    shared: sharedMax,
  }: {
    readonly table: 'plans' | 'policies' | 'overrides' | 'blocks' | 'modes' | 'webhooks';
    readonly tenantId: string | null;
    readonly tenant: number;
    readonly shared: number;
  },
): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM ${sql.table(table)}
    WHERE ${whereOwner(tenantId ?? shared)}`.execute(tx);
  const max = tenantId === null ? sharedMax : tenant;
  if ((rows[0]?.count ?? 0) < max) return;
  const whose = tenantId === null ? 'there are' : 'this tenant has';
  const of = tenantId === null ? `shared ${table}` : table;
  throw new Conflict(`${whose} ${max} ${of} already, and there is no room for more`);
}
