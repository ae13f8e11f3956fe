import { type Kysely, sql } from 'kysely';

/** What is moved out of the store: the ledger's counts, and how much of each quota is used. */
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

  `CREATE TABLE ledger_batches (
    id text PRIMARY KEY,
    tenant_id uuid NOT NULL,
    moved_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX ledger_batches_by_age ON ledger_batches (moved_at)`,

  `CREATE TABLE quota_levels (
    tenant_id uuid NOT NULL,
    counter text NOT NULL,
    period_start timestamptz NOT NULL,
    period_end timestamptz NOT NULL,
    used bigint NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, counter)
  )`,
];
