import { type Kysely, sql } from 'kysely';

/**
 * Usage by the minute, the hour and the day in one table, and who looks for ledgers that were left
 * behind. Of limits only what they let in is carried over: it was not written down which of them
 * refused.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const carriedOver = (step: string) => `
  INSERT INTO usage_counts (tenant_id, step, at, resource, limit_name, outcome, count)
  SELECT tenant_id, '${step}', date_trunc('${step}', minute, 'UTC'), resource, limit_name,
    CASE WHEN limit_name = '' THEN outcome ELSE 'allowed' END, sum(count)
  FROM usage_minutes
  WHERE limit_name = '' OR outcome <> 'blocked'
  GROUP BY 1, 3, 4, 5, 6`;

const statements = [
  `CREATE TABLE usage_counts (
    tenant_id uuid NOT NULL,
    step text NOT NULL CHECK (step IN ('minute', 'hour', 'day')),
    at timestamptz NOT NULL,
    resource text NOT NULL,
    limit_name text NOT NULL,
    outcome text NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (tenant_id, step, at, resource, limit_name, outcome)
  )`,
  ...['minute', 'hour', 'day'].map(carriedOver),
  `CREATE INDEX usage_counts_by_time ON usage_counts (step, at)`,
  `DROP TABLE usage_minutes`,

  `CREATE TABLE ledger_sweep (
    id integer PRIMARY KEY CHECK (id = 1),
    next_at timestamptz NOT NULL,
    after_tenant_id uuid
  )`,
  `INSERT INTO ledger_sweep (id, next_at) VALUES (1, now())`,
];
