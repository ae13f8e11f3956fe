import { type Kysely, sql } from 'kysely';

/**
 * Every change to a tenant raises its epoch in the same transaction; the epoch's row is locked by
 * that, so that changes of one tenant come one after another.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const versioned = `
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()`;

const statements = [
  `CREATE TABLE settings (name text PRIMARY KEY, value text NOT NULL)`,

  `CREATE TABLE plans (
    id uuid PRIMARY KEY,
    tenant_id uuid,
    name text NOT NULL,
    limits jsonb NOT NULL,
    ${versioned}
  )`,

  `CREATE TABLE tenants (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    tier text NOT NULL,
    plan_id uuid REFERENCES plans (id),
    status text NOT NULL CHECK (status IN ('active', 'suspended')),
    timezone text NOT NULL,
    billing_anchor_day integer NOT NULL CHECK (billing_anchor_day BETWEEN 1 AND 31),
    pool text,
    ${versioned}
  )`,
  `CREATE INDEX tenants_by_plan ON tenants (plan_id) WHERE plan_id IS NOT NULL`,

  `ALTER TABLE plans ADD CONSTRAINT plans_of_tenant
    FOREIGN KEY (tenant_id) REFERENCES tenants (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED`,
  `CREATE UNIQUE INDEX plans_shared_by_name ON plans (name) WHERE tenant_id IS NULL`,
  `CREATE UNIQUE INDEX plans_of_tenant_by_name ON plans (tenant_id, name) WHERE tenant_id IS NOT NULL`,

  `CREATE TABLE policies (
    id uuid PRIMARY KEY,
    tenant_id uuid REFERENCES tenants (id) ON DELETE CASCADE,
    resource text NOT NULL,
    cost bigint,
    costs jsonb NOT NULL,
    max_cost bigint,
    limits jsonb NOT NULL,
    mode text,
    ${versioned}
  )`,
  `CREATE UNIQUE INDEX policies_shared_by_resource ON policies (resource) WHERE tenant_id IS NULL`,
  `CREATE UNIQUE INDEX policies_of_tenant_by_resource
    ON policies (tenant_id, resource) WHERE tenant_id IS NOT NULL`,

  `CREATE TABLE api_keys (
    id text PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    name text NOT NULL,
    salt text NOT NULL,
    key_hash text NOT NULL,
    scopes text[] NOT NULL,
    imported boolean NOT NULL DEFAULT false,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    ${versioned}
  )`,
  `CREATE INDEX api_keys_of_tenant ON api_keys (tenant_id, id)`,
  `CREATE INDEX api_keys_imported ON api_keys (id) WHERE imported`,

  `CREATE TABLE admin_tokens (
    id text PRIMARY KEY,
    name text NOT NULL,
    role text NOT NULL CHECK (role IN ('owner', 'operator', 'viewer')),
    tenant_id uuid REFERENCES tenants (id) ON DELETE CASCADE,
    salt text NOT NULL,
    token_hash text NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    ${versioned}
  )`,
  `CREATE INDEX admin_tokens_of_tenant ON admin_tokens (tenant_id, id)`,

  `CREATE TABLE audit_entries (
    id uuid PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    actor text NOT NULL,
    action text NOT NULL,
    noun text NOT NULL,
    object_id text NOT NULL,
    tenant_id uuid,
    request_id text,
    before jsonb,
    after jsonb
  )`,
  `CREATE INDEX audit_entries_of_tenant ON audit_entries (tenant_id, id)`,

  `CREATE TABLE tenant_epochs (
    tenant_id uuid PRIMARY KEY,
    epoch bigint NOT NULL,
    published_epoch bigint NOT NULL,
    generation integer NOT NULL DEFAULT 0,
    deleted boolean NOT NULL DEFAULT false,
    changed_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
    changed_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX tenant_epochs_by_change ON tenant_epochs (changed_in)`,
  `CREATE INDEX tenant_epochs_unpublished ON tenant_epochs (tenant_id) WHERE published_epoch < epoch`,

  `CREATE TABLE shared_epoch (
    id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
    epoch bigint NOT NULL,
    published_epoch bigint NOT NULL,
    changed_in xid8 NOT NULL DEFAULT pg_current_xact_id()
  )`,
  `INSERT INTO shared_epoch (epoch, published_epoch) VALUES (1, 1)`,

  `CREATE TABLE publications (
    epoch bigint PRIMARY KEY,
    cause text NOT NULL,
    total integer,
    done integer NOT NULL DEFAULT 0,
    after_tenant_id uuid,
    started_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
  )`,
];
