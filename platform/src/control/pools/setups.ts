import type { Kysely } from 'kysely';
import type { Tables } from '../../database/tables.ts';
import type { PoolSetup, Seal } from './pool.ts';

/** What nodes open, with passwords. */
export async function readSetups(
  db: Kysely<Tables>,
  seal: Pick<Seal, 'open'>,
): Promise<PoolSetup[]> {
  const rows = await db.selectFrom('pools').selectAll().execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    redisUrl: row.redis_url === null ? null : seal.open(row.redis_url),
    connections: row.connections,
    maxInFlight: row.max_in_flight ?? row.connections,
  }));
}
