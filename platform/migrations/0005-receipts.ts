import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';

/**
 * Receipts of decisions, and whose were erased. Nothing refers to tenants: a receipt is written
 * every time without looking one up, and a tenant with millions of them can be deleted at once.
 * From here on the audit names nobody, so what it said before is brought to the same form.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
  await namelessAudit(db);
}

const statements = [
  // As text of its own order: it is read far less often than written, and never looked into.
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
];

const entriesAtOnce = 500;

type Entry = {
  readonly id: string;
  readonly tenant_id: string | null;
  readonly before: Fields | null;
  readonly after: Fields | null;
};
type Fields = Readonly<Record<string, unknown>>;

/** Those who were named in overrides, blocks and counters. */
async function namelessAudit(db: Kysely<never>): Promise<void> {
  const secret = await subjectSecret(db);
  let last = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const { rows } = await sql<Entry>`
      SELECT id, tenant_id, before, after FROM audit_entries
      WHERE noun IN ('overrides', 'blocks', 'counters') AND id > ${last}
      ORDER BY id LIMIT ${entriesAtOnce}`.execute(db);
    for (const { id, tenant_id: tenant, before, after } of rows) {
      const hash = (name: string) => hashed(secret, tenant ?? '', name);
      const [was, is] = [before, after].map((fields) => fields && nameless(fields, hash));
      await sql`
        UPDATE audit_entries
        SET before = ${textOf(was)}::text::jsonb, after = ${textOf(is)}::text::jsonb
        WHERE id = ${id}`.execute(db);
    }
    if (rows.length < entriesAtOnce) return;
    last = rows.at(-1)?.id ?? last;
  }
}

function textOf(fields: Fields | null | undefined): string | null {
  return fields ? JSON.stringify(fields) : null;
}

/** The one that subjects have in logs; where nobody has needed it yet there is nothing to hash. */
async function subjectSecret(db: Kysely<never>): Promise<string> {
  const { rows } = await sql<{ readonly value: string }>`
    SELECT value FROM settings WHERE name = 'subject_secret'`.execute(db);
  return rows[0]?.value ?? '';
}

function hashed(secret: string, tenant: string, name: string): string {
  const text = `${secret.length}:${secret}${tenant.length}:${tenant}${name}`;
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

function nameless(fields: Fields, hash: (name: string) => string): Fields {
  const { subject, ip, attribute, attributes, ...rest } = fields;
  return {
    ...rest,
    ...('subject' in fields && { subject_hash: textHash(subject, hash) }),
    ...('ip' in fields && { ip_hash: textHash(ip, hash) }),
    ...('attribute' in fields && { attribute: attributeHash(attribute, hash) }),
    ...('attributes' in fields && { attributes: valuesHash(attributes, hash) }),
  };
}

function textHash(value: unknown, hash: (name: string) => string): string | null {
  return typeof value === 'string' ? hash(value) : null;
}

function attributeHash(value: unknown, hash: (name: string) => string): unknown {
  if (typeof value !== 'object' || value === null || !('value' in value)) return null;
  const { value: named, ...rest } = value;
  return { ...rest, value_hash: textHash(named, hash) };
}

function valuesHash(value: unknown, hash: (name: string) => string): unknown {
  if (typeof value !== 'object' || value === null) return {};
  const entries = Object.entries(value).map(([name, named]) => [name, textHash(named, hash)]);
  return Object.fromEntries(entries);
}
