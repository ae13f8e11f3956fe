import { sql, type Kysely } from 'kysely';
import type { Tables } from '../../database/tables.ts';

/** To the minute, and for many at once: it must not cost a check a write. */
export async function writeLastUsed(db: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`UPDATE api_keys SET last_used_at = now() WHERE id = ANY(${ids}::text[])`.execute(db);
}
