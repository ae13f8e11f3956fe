import { type Kysely, sql } from 'kysely';

/** What is moved out of the store: the ledger's counts, and which batch of them was the last. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `CREATE TABLE usage_minutes (
    tenant_id uuid NOT NULL,
    minute timestamptz NOT NULL,
    resource text NOT NULL,
    limit_name text NOT NULL,
    outcome text NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (tenant_id, minute, resource, limit_name, outcome)
  )`,

  `CREATE TABLE ledger_positions (tenant_id uuid PRIMARY KEY, batch bigint NOT NULL)`,
];
