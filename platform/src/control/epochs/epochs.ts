import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { TenantRef } from 'sluice/core';
import type { Tables } from '../../database/tables.ts';

/** A tenant's epoch after a change, with all that a store must be told of it. */
export type TenantEpoch = {
  readonly tenantId: string;
  readonly epoch: number;
  readonly generation: number;
  /** The pool in whose Redis it is counted; null: in the one that all share. */
  readonly place: string | null;
  /** What it used elsewhere is still to be brought there. */
  readonly arriving: boolean;
  readonly sharedEpoch: number;
};

export async function startEpoch(tx: Transaction<Tables>, tenantId: string): Promise<TenantEpoch> {
  const { epoch, generation } = await tx
    .insertInto('tenant_epochs')
    .values({ tenant_id: tenantId, epoch: 1, published_epoch: 0 })
    .returning(['epoch', 'generation'])
    .executeTakeFirstOrThrow();
  const sharedEpoch = await readSharedEpoch(tx);
  return { tenantId, epoch, generation, place: null, arriving: false, sharedEpoch };
}

/** Of a row of `tenant_epochs`. */
export const isArriving = sql<boolean>`EXISTS (
  SELECT FROM tenant_moves
  WHERE tenant_moves.tenant_id = tenant_epochs.tenant_id AND carried_at IS NULL)`;

/**
 * Locks the tenant's epoch until the transaction ends: changes of one tenant take turns. One that
 * was deleted before its turn came stays deleted.
 */
export async function raiseEpoch(
  tx: Transaction<Tables>,
  tenantId: string,
  { deleted = false }: { readonly deleted?: boolean } = {},
): Promise<TenantEpoch> {
  const { rows } = await sql<Pick<TenantEpoch, 'epoch' | 'generation' | 'place' | 'arriving'>>`
    UPDATE tenant_epochs
    SET epoch = epoch + 1, deleted = deleted OR ${deleted}, changed_in = pg_current_xact_id(), changed_at = now()
    WHERE tenant_id = ${tenantId}
    RETURNING epoch, generation, place, ${isArriving} AS arriving`.execute(tx);
  const row = rows[0];
  if (!row) throw new Error('a tenant without an epoch');
  return { tenantId, ...row, sharedEpoch: await readSharedEpoch(tx) };
}

/** Of what all tenants share. Which tenants know of it is a publication's business. */
export async function raiseSharedEpoch(tx: Transaction<Tables>, cause: string): Promise<number> {
  const { rows } = await sql<{ epoch: number }>`
    UPDATE shared_epoch SET epoch = epoch + 1, changed_in = pg_current_xact_id()
    RETURNING epoch`.execute(tx);
  const { epoch } = rows[0] as { epoch: number };
  await tx.insertInto('publications').values({ epoch, cause }).execute();
  return epoch;
}

export async function readSharedEpoch(db: Kysely<Tables>): Promise<number> {
  const { epoch } = await db.selectFrom('shared_epoch').select('epoch').executeTakeFirstOrThrow();
  return epoch;
}

export function refOf({
  tenantId,
  generation,
  place,
}: Pick<TenantEpoch, 'tenantId' | 'generation' | 'place'>): TenantRef {
  return { id: tenantId, generation, place: place ?? undefined };
}
