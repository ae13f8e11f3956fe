import { type Expression, type Kysely, sql, type SqlBool, type Transaction } from 'kysely';
import { InvalidInput } from 'sluice';
import type { Tables } from '../database/tables.ts';
import type { Actor } from './actor.ts';
import type { Change, Changed, Changes } from './change.ts';
import { Conflict, NotFound } from './errors.ts';
import {
  type Collection,
  found,
  isUuid,
  lockObject,
  requireTenant,
  requireUuid,
  type VersionedTable,
} from './rows.ts';

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

/** Takes away what a tenant owns, or all share. The audit keeps what it was. */
export function removeOwned<
  Name extends Exclude<VersionedTable, 'tenants'>,
  T extends { readonly version: number },
>(
  changes: Changes,
  actor: Actor,
  collection: Collection<Name, T>,
  {
    id,
    tenantId,
    expectedVersion,
    allow = () => {},
  }: {
    readonly id: string;
    readonly tenantId: string | null;
    readonly expectedVersion: number | null;
    /** Throws where something speaks against it. */
    readonly allow?: (before: T, tx: Transaction<Tables>) => void | Promise<void>;
  },
): Promise<Changed<undefined>> {
  const { table, noun } = collection;
  return changes.make(actor, async (change) => {
    await change.touch(tenantId, `delete ${noun} ${id}`);
    const before = await lockObject(change.tx, { ...collection, id, expectedVersion });
    await allow(before, change.tx);
    await sql`DELETE FROM ${sql.table(table)} WHERE id = ${id}`.execute(change.tx);
    await change.note({ noun: table, objectId: id, tenantId, action: 'delete', before });
    return undefined;
  });
}
