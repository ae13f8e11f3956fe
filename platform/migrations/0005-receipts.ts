import { type Kysely, sql } from 'kysely';

/**
 * Receipts of decisions, and whose were erased. Nothing refers to tenants: a receipt is written
 * without looking one up, and a tenant with millions of them can be deleted at once. From here on
 * the audit names nobody: what it said before is brought to the same form.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // As text, in its own order: it is written far more often than read, and never looked into.
  `CREATE TABLE receipts (
    decision_id text COLLATE "C" PRIMARY KEY,
    tenant_id uuid NOT NULL,
    at timestamptz NOT NULL,
    outcome text NOT NULL,
    subject_hash text NOT NULL,
    limit_names text[] NOT NULL,
    body json NOT NULL
  )`,
  `CREATE INDEX receipts_by_time ON receipts (at, decision_id)`,
  `CREATE INDEX receipts_of_tenant ON receipts (tenant_id, at, decision_id)`,
  `CREATE INDEX receipts_of_subject ON receipts (tenant_id, subject_hash, at, decision_id)`,

  `CREATE TABLE erasures (
    tenant_id uuid NOT NULL,
    subject_hash text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, subject_hash)
  )`,

  // As subjects are hashed in logs, under the same secret.
  `CREATE FUNCTION pg_temp.name_hash(tenant text, name text) RETURNS text LANGUAGE sql AS $$
    SELECT left(translate(encode(sha256(convert_to(
      length(secret) || ':' || secret || length(tenant) || ':' || tenant || name, 'UTF8'
    )), 'base64'), '+/', '-_'), 22)
    FROM (SELECT coalesce(max(value), '') AS secret FROM settings WHERE name = 'subject_secret') one
  $$`,
  `CREATE FUNCTION pg_temp.nameless(tenant text, fields jsonb) RETURNS jsonb LANGUAGE sql AS $$
    SELECT (fields - '{subject,ip,attribute,attributes}'::text[])
      || CASE WHEN fields ? 'subject' THEN
        jsonb_build_object('subject_hash', pg_temp.name_hash(tenant, fields->>'subject'))
        ELSE '{}' END
      || CASE WHEN fields ? 'ip' THEN
        jsonb_build_object('ip_hash', pg_temp.name_hash(tenant, fields->>'ip'))
        ELSE '{}' END
      || CASE WHEN NOT fields ? 'attribute' THEN '{}'
        WHEN jsonb_typeof(fields->'attribute') <> 'object' THEN '{"attribute":null}'
        ELSE jsonb_build_object('attribute', jsonb_build_object(
          'name', fields->'attribute'->'name',
          'value_hash', pg_temp.name_hash(tenant, fields->'attribute'->>'value')))
        END
      || CASE WHEN fields ? 'attributes' THEN
        jsonb_build_object('attributes', coalesce((
          SELECT jsonb_object_agg(key, pg_temp.name_hash(tenant, value))
          FROM jsonb_each_text(fields->'attributes')
        ), '{}'))
        ELSE '{}' END
  $$`,
  `UPDATE audit_entries SET
    before = pg_temp.nameless(coalesce(tenant_id::text, ''), before),
    after = pg_temp.nameless(coalesce(tenant_id::text, ''), after)
    WHERE noun IN ('overrides', 'blocks', 'counters')`,
  `DROP FUNCTION pg_temp.nameless(text, jsonb)`,
  `DROP FUNCTION pg_temp.name_hash(text, text)`,
];
