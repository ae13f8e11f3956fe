import { type Kysely, sql } from 'kysely';

/** What bends a plan for some: overrides, blocks, modes and quotas; and who is told of quotas. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const versioned = `
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()`;

const statements = [
  `CREATE TABLE overrides (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    limit_name text NOT NULL,
    plan_id uuid REFERENCES plans (id) ON DELETE CASCADE,
    policy_id uuid REFERENCES policies (id) ON DELETE CASCADE,
    resource text,
    subject text,
    attributes jsonb NOT NULL,
    numbers jsonb NOT NULL,
    starts_at timestamptz,
    expires_at timestamptz,
    reason text NOT NULL,
    author text NOT NULL,
    ${versioned}
  )`,
  `CREATE INDEX overrides_of_tenant ON overrides (tenant_id, id)`,

  `CREATE TABLE blocks (
    id uuid PRIMARY KEY,
    tenant_id uuid REFERENCES tenants (id) ON DELETE CASCADE,
    subject text,
    ip text,
    attribute jsonb,
    key_id text,
    action text NOT NULL CHECK (action IN ('block', 'bypass')),
    expires_at timestamptz,
    reason text NOT NULL,
    author text NOT NULL,
    ${versioned},
    CHECK (num_nonnulls(subject, ip, attribute, key_id) = 1)
  )`,
  `CREATE INDEX blocks_of_tenant ON blocks (tenant_id, id)`,

  `CREATE TABLE modes (
    id uuid PRIMARY KEY,
    scope text NOT NULL CHECK (scope IN ('platform', 'tenant', 'resource', 'policy', 'limit')),
    tenant_id uuid REFERENCES tenants (id) ON DELETE CASCADE,
    resource text,
    policy_id uuid REFERENCES policies (id) ON DELETE CASCADE,
    limit_name text,
    mode text NOT NULL,
    enforce_from timestamptz,
    confirm boolean NOT NULL DEFAULT false,
    ${versioned}
  )`,
  `CREATE UNIQUE INDEX modes_of_one ON modes (
    scope, coalesce(tenant_id::text, ''), coalesce(resource, ''),
    coalesce(policy_id::text, ''), coalesce(limit_name, '')
  )`,
  `CREATE INDEX modes_of_tenant ON modes (tenant_id, id)`,

  `CREATE TABLE quotas (
    tenant_id uuid PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE,
    name text NOT NULL,
    period text NOT NULL,
    unit text NOT NULL,
    allowance bigint NOT NULL,
    mode text,
    overcommit boolean NOT NULL,
    teams jsonb NOT NULL,
    ${versioned}
  )`,

  `CREATE TABLE quota_top_ups (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES quotas (tenant_id) ON DELETE CASCADE,
    amount bigint NOT NULL,
    reason text NOT NULL,
    author text NOT NULL,
    ends_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX quota_top_ups_of_tenant ON quota_top_ups (tenant_id, ends_at)`,

  `CREATE TABLE quota_usage (
    tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    generation integer NOT NULL,
    counter text NOT NULL,
    starts_at_us bigint NOT NULL,
    ends_at_us bigint NOT NULL,
    used bigint NOT NULL,
    PRIMARY KEY (tenant_id, generation, counter)
  )`,
  `CREATE INDEX quota_usage_by_end ON quota_usage (ends_at_us)`,

  `CREATE TABLE quota_events (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    quota text NOT NULL,
    level text NOT NULL,
    entity text NOT NULL,
    starts_at_us bigint NOT NULL,
    threshold integer NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (tenant_id, quota, level, entity, starts_at_us, threshold)
  )`,

  `CREATE TABLE webhooks (
    id uuid PRIMARY KEY,
    tenant_id uuid REFERENCES tenants (id) ON DELETE CASCADE,
    url text NOT NULL,
    events text[] NOT NULL,
    secret_number integer NOT NULL DEFAULT 1,
    ${versioned}
  )`,
  `CREATE INDEX webhooks_of_tenant ON webhooks (tenant_id, id)`,

  `CREATE TABLE webhook_deliveries (
    id uuid PRIMARY KEY,
    webhook_id uuid NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    event text NOT NULL,
    payload jsonb NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    next_at timestamptz NOT NULL DEFAULT now(),
    delivered_at timestamptz,
    failed_at timestamptz,
    last_problem text,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_at)
    WHERE delivered_at IS NULL AND failed_at IS NULL`,
];
