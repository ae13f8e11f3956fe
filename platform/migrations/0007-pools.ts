import { type Kysely, sql } from 'kysely';

/**
 * Pools: by whose connections a tenant is counted, and in which Redis. A tenant's counters are in one
 * place at a time, the Redis of a pool or, where that is null, the one that all share; every move to
 * another raises its generation, so that a generation's counters and ledger are in one place for good.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `CREATE TABLE pools (
    id uuid PRIMARY KEY,
    name text NOT NULL UNIQUE,
    redis_url text,
    connections integer NOT NULL,
    max_in_flight integer,
    tiers text[] NOT NULL DEFAULT '{}',
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
  )`,
  `INSERT INTO pools (id, name, connections, tiers) VALUES
    (gen_random_uuid(), 'default', 10, '{}'),
    (gen_random_uuid(), 'free', 5, '{free}'),
    (gen_random_uuid(), 'starter', 10, '{starter}'),
    (gen_random_uuid(), 'business', 25, '{business}'),
    (gen_random_uuid(), 'enterprise', 50, '{enterprise}')`,

  // Until now a name was kept that meant nothing.
  `INSERT INTO pools (id, name, connections)
    SELECT gen_random_uuid(), pool, 10 FROM (SELECT DISTINCT pool FROM tenants) named
    WHERE pool IS NOT NULL AND pool NOT IN (SELECT name FROM pools)`,
  `ALTER TABLE tenants ADD FOREIGN KEY (pool) REFERENCES pools (name)`,
  `CREATE INDEX tenants_of_pool ON tenants (pool) WHERE pool IS NOT NULL`,

  `ALTER TABLE tenant_epochs ADD COLUMN place uuid REFERENCES pools (id)`,
  `CREATE INDEX tenant_epochs_of_place ON tenant_epochs (place) WHERE place IS NOT NULL`,

  `CREATE TABLE tenant_moves (
    tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    generation integer NOT NULL,
    place uuid REFERENCES pools (id),
    moved_at timestamptz NOT NULL DEFAULT now(),
    carried_at timestamptz,
    looked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, generation)
  )`,
  `CREATE INDEX tenant_moves_of_place ON tenant_moves (place)`,
  `CREATE INDEX tenant_moves_by_look ON tenant_moves (looked_at)`,
  `CREATE INDEX tenant_moves_to_carry ON tenant_moves (tenant_id) WHERE carried_at IS NULL`,

  `ALTER TABLE ledger_positions ADD COLUMN generation integer NOT NULL DEFAULT 0`,
  `ALTER TABLE ledger_positions DROP CONSTRAINT ledger_positions_pkey`,
  `ALTER TABLE ledger_positions ADD PRIMARY KEY (tenant_id, generation)`,
];
