import { Kysely, type Migration, Migrator, PostgresDialect } from 'kysely';
import { migrations } from '../../migrations/index.ts';
import { lendFrom } from './lend.ts';
import type { Database } from './open.ts';

// A large table may take long to change, and other nodes wait as long for their turn.
const migrationTimeoutMs = 3_600_000;

/**
 * Brings the tables to what this program needs: one node at a time, all of it or nothing.
 * Returns the names of what was applied by this call.
 */
export async function migrate(
  { pool }: Pick<Database, 'pool'>,
  known: Readonly<Record<string, Migration>> = migrations,
): Promise<string[]> {
  const patient = lendFrom(pool, {
    queryTimeoutMs: migrationTimeoutMs,
    prepare: 'set statement_timeout = 0; set idle_in_transaction_session_timeout = 0',
  });
  const db = new Kysely<MigrationTables>({ dialect: new PostgresDialect({ pool: patient }) });
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...known }) },
    // Otherwise the order of what was applied is judged by the clocks of the nodes that did it.
    allowUnorderedMigrations: true,
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) {
    await assertNotNewer(db, known);
    const failed = results.find(({ status }) => status === 'Error')?.migrationName;
    throw new Error(describeFailure(failed, error), { cause: error });
  }
  return results.map(({ migrationName }) => migrationName);
}

type MigrationTables = { kysely_migration: { name: string } };

async function assertNotNewer(
  db: Kysely<MigrationTables>,
  known: Readonly<Record<string, Migration>>,
): Promise<void> {
  const unknown = (await listApplied(db)).filter((name) => !(name in known));
  if (unknown.length === 0) return;
  throw new Error(
    `The database is newer than this program: it has ${unknown.join(', ')}. Start the version that made it, or a later one.`,
  );
}

async function listApplied(db: Kysely<MigrationTables>): Promise<string[]> {
  try {
    const rows = await db.selectFrom('kysely_migration').select('name').orderBy('name').execute();
    return rows.map(({ name }) => name);
  } catch {
    // What kept the migrations from running is the error to report.
    return [];
  }
}

function describeFailure(failed: string | undefined, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  if (failed === undefined) return `The database could not be migrated: ${reason}`;
  return `Migration ${failed} failed, and nothing was changed: ${reason}`;
}
