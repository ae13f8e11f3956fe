import { type Kysely, sql } from 'kysely';

/**
 * What limits in shadow and warn would have refused. Nothing refers to the tenant: rows of one that is
 * gone are deleted a few at a time, for a cascade of millions would outlast any statement.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `CREATE TABLE rollout_limits (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    tenant_id uuid NOT NULL,
    limit_name text NOT NULL,
    defined_by text NOT NULL,
    algorithm text NOT NULL,
    size bigint NOT NULL,
    UNIQUE (tenant_id, limit_name, defined_by)
  )`,

  `CREATE TABLE rollout_hours (
    limit_id bigint NOT NULL,
    stage text NOT NULL CHECK (stage IN ('shadow', 'warn')),
    hour timestamptz NOT NULL,
    calls bigint NOT NULL,
    would_refuse bigint NOT NULL,
    below bigint NOT NULL,
    PRIMARY KEY (limit_id, stage, hour)
  )`,
  `CREATE INDEX rollout_hours_by_hour ON rollout_hours (hour)`,

  `CREATE TABLE rollout_subjects (
    limit_id bigint NOT NULL,
    stage text NOT NULL,
    hour timestamptz NOT NULL,
    subject text NOT NULL,
    point bigint NOT NULL,
    calls bigint NOT NULL,
    would_refuse bigint NOT NULL,
    peak bigint NOT NULL,
    extra bigint NOT NULL,
    extra_most bigint NOT NULL,
    PRIMARY KEY (limit_id, stage, hour, subject)
  )`,
  `CREATE INDEX rollout_subjects_by_hour ON rollout_subjects (hour)`,

  `CREATE TABLE rollout_batches (
    node uuid PRIMARY KEY,
    batch bigint NOT NULL,
    written_at timestamptz NOT NULL DEFAULT now()
  )`,

  `CREATE TABLE rollout_erasures (
    tenant_id uuid NOT NULL,
    subject_hash text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, subject_hash)
  )`,
  `CREATE INDEX rollout_erasures_by_time ON rollout_erasures (at)`,
];
