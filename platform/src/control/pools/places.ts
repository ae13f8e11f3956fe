import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { Tables } from '../../database/tables.ts';
import type { Change } from '../change.ts';
import { readSharedEpoch } from '../epochs/epochs.ts';
import { Conflict } from '../errors.ts';
import { defaultPool } from './pool.ts';

/** One change moves so many tenants at the most: every node hears of each of them. */
const movesMax = 10_000;

/** The pool that a tenant `t` is in. */
export const poolOfTenant = sql<string>`coalesce(
  t.pool, (SELECT named.name FROM pools named WHERE t.tier = ANY (named.tiers)), ${sql.lit(defaultPool)})`;

/**
 * Which pool a tenant is in is read by who changes tenants, and changed by who changes pools: those
 * take turns. Before anything else is locked.
 */
export async function holdPools(
  tx: Transaction<Tables>,
  { exclusive }: { readonly exclusive: boolean },
): Promise<void> {
  const lock = sql.raw(exclusive ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared');
  await sql`SELECT ${lock}(hashtext('pools'))`.execute(tx);
}

/** A tenant that was just made has nothing to bring along. */
export async function placeNewTenant(change: Change, tenantId: string): Promise<void> {
  const { rows } = await sql<{ place: string }>`
    UPDATE tenant_epochs SET place = wanted.place
    FROM (${wantedPlaces(sql`t.id = ${tenantId}`)}) wanted
    WHERE tenant_epochs.tenant_id = wanted.id AND wanted.place IS NOT NULL
    RETURNING tenant_epochs.place`.execute(change.tx);
  if (rows[0]) change.place(tenantId, rows[0].place);
}

/**
 * After what says where tenants are counted was changed. Who is to be counted elsewhere gets a new
 * generation there; what it leaves behind is noted, to be brought along.
 */
export async function moveTenants(change: Change, which: RawBuilder<boolean>): Promise<number> {
  const { rows } = await sql<Moved>`
    WITH moving AS (
      SELECT e.tenant_id, e.generation, e.place AS left_place, wanted.place
      FROM tenant_epochs e JOIN (${wantedPlaces(which)}) wanted ON wanted.id = e.tenant_id
      WHERE e.place IS DISTINCT FROM wanted.place
      ORDER BY e.tenant_id FOR UPDATE OF e
    ), noted AS (
      INSERT INTO tenant_moves (tenant_id, generation, place)
      SELECT tenant_id, generation, left_place FROM moving
    )
    UPDATE tenant_epochs e
    SET epoch = e.epoch + 1, generation = e.generation + 1, place = moving.place,
      changed_in = pg_current_xact_id(), changed_at = now()
    FROM moving WHERE e.tenant_id = moving.tenant_id
    RETURNING e.tenant_id, e.epoch, moving.generation, moving.left_place`.execute(change.tx);
  if (rows.length > movesMax) {
    throw new Conflict(
      `this would move ${rows.length} tenants to another Redis, and one change moves ${movesMax} at the most; move them by their own \`pool\` first`,
    );
  }
  const sharedEpoch = await readSharedEpoch(change.tx);
  for (const { tenant_id: tenantId, epoch, generation, left_place: place } of rows) {
    change.leave({ tenantId, epoch, generation, place, arriving: false, sharedEpoch });
  }
  return rows.length;
}

type Moved = {
  readonly tenant_id: string;
  readonly epoch: number;
  readonly generation: number;
  readonly left_place: string | null;
};

function wantedPlaces(which: RawBuilder<boolean>) {
  return sql<{ id: string; place: string | null }>`
    SELECT t.id, CASE WHEN p.redis_url IS NOT NULL THEN p.id END AS place
    FROM tenants t JOIN pools p ON p.name = ${poolOfTenant} WHERE ${which}`;
}
