import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Tables } from '../../database/tables.ts';

/** Days are kept for ever. */
export const keptDays = { minute: 14, hour: 400 } as const;

/** Few enough that others hardly wait for them. */
const rowsAtOnce = 5000;
const chunksMax = 200;

/**
 * Deletes what is too old to be asked for, and what tenants that are gone left behind. Returns how
 * many rows; what is more than can be done at once is left for the next time.
 */
export async function removeOldUsage(db: Kysely<Tables>): Promise<number> {
  let removed = 0;
  for (const step of ['minute', 'hour'] as const) {
    const isOld = sql<boolean>`
      step = ${step} AND at < now() - make_interval(days => ${keptDays[step]})`;
    removed += await removeAll(db, isOld);
  }
  const isOrphan = sql<boolean>`tenant_id IN (
    SELECT tenant_id FROM tenant_epochs epochs WHERE deleted
      AND EXISTS (SELECT FROM usage_counts kept WHERE kept.tenant_id = epochs.tenant_id) LIMIT 100)`;
  removed += await removeAll(db, isOrphan);
  await sql`
    DELETE FROM ledger_positions USING tenant_epochs epochs
    WHERE epochs.tenant_id = ledger_positions.tenant_id AND epochs.deleted`.execute(db);
  return removed;
}

/** As much of a tenant's usage as can be deleted with it; the rest follows within the hour. */
export async function removeUsageOf(db: Kysely<Tables>, tenantId: string): Promise<void> {
  await db.deleteFrom('ledger_positions').where('tenant_id', '=', tenantId).execute();
  await removeSome(db, sql<boolean>`tenant_id = ${tenantId}`);
}

async function removeAll(db: Kysely<Tables>, which: RawBuilder<boolean>): Promise<number> {
  let removed = 0;
  for (let chunk = 0; chunk < chunksMax; chunk += 1) {
    const some = await removeSome(db, which);
    removed += some;
    if (some < rowsAtOnce) break;
  }
  return removed;
}

/** What another node is deleting is left to it. */
async function removeSome(db: Kysely<Tables>, which: RawBuilder<boolean>): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM usage_counts WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM usage_counts WHERE ${which} LIMIT ${rowsAtOnce} FOR UPDATE SKIP LOCKED
    ))`.execute(db);
  return Number(numAffectedRows);
}
