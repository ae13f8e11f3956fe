import { Client } from 'pg';

/** Any number that nobody else locks. */
const lock = 4711;

/**
 * Publishing a shared change stands still once so many tenants know of it, until it is let through:
 * else how long it can be seen would depend on the machine.
 */
export class PublishingGate {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async shutAt(url: string, tenants: number): Promise<PublishingGate> {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(`SELECT pg_advisory_lock(${lock})`);
    await client.query(`
      CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_advisory_xact_lock_shared(${lock}); RETURN NEW; END $$`);
    await client.query(`
      CREATE TRIGGER gate BEFORE UPDATE ON publications FOR EACH ROW
      WHEN (NEW.done > ${tenants}) EXECUTE FUNCTION wait_at_gate()`);
    return new PublishingGate(client);
  }

  async open(): Promise<void> {
    await this.#client.query(`SELECT pg_advisory_unlock(${lock})`);
  }

  /** Tenants on the plan that their tier names. */
  async fillTenants(count: number, tier: string): Promise<void> {
    await this.#client.query(
      `WITH made AS (
        INSERT INTO tenants (id, name, tier, status, timezone, billing_anchor_day)
        SELECT gen_random_uuid(), 'tenant ' || n, $1, 'active', 'UTC', 1
        FROM generate_series(1, $2::integer) AS n RETURNING id)
      INSERT INTO tenant_epochs (tenant_id, epoch, published_epoch) SELECT id, 1, 1 FROM made`,
      [tier, count],
    );
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}
