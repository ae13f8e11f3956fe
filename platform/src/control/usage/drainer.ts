import { Deadline } from 'sluice';
import { sql, type Kysely, type Transaction } from 'kysely';
import type { Engine, LedgerCount, TenantRef } from 'sluice/core';
import type { Tables } from '../../database/tables.ts';
import { usageLines, type UsageLine } from './usage-lines.ts';

export type LedgerStore = Pick<Engine, 'takeLedger' | 'dropLedger'>;

/** A connection is held meanwhile: a store that is slow must not take them all. */
const waitMs = 1000;
const rowsAtOnce = 1000;

/**
 * Moves a tenant's ledger from the store to the database. Batches are numbered by the database, in a
 * row that is locked from before a batch is set aside until it is counted: drainers take turns. Who
 * dies in the middle leaves a batch that the next one finds under the same number; who dies after
 * that, one that is known to be moved.
 */
export class Drainer {
  readonly #db: Kysely<Tables>;
  readonly #engine: LedgerStore;
  readonly #deadline = new Deadline(waitMs);

  constructor(db: Kysely<Tables>, engine: LedgerStore) {
    this.#db = db;
    this.#engine = engine;
  }

  async drain(tenant: TenantRef): Promise<void> {
    const batch = await this.#db.transaction().execute((tx) => this.#move(tx, tenant));
    if (batch !== null) await this.#deadline.run(this.#engine.dropLedger(tenant, batch));
  }

  /** Returns the number of the batch that was moved, if there was anything to move. */
  async #move(tx: Transaction<Tables>, tenant: TenantRef): Promise<number | null> {
    const last = await lockPosition(tx, tenant);
    if (last === null) return null;
    const { batch, counts } = await this.#take(tenant, last + 1);
    if (counts.length === 0) return null;
    const lines = usageLines(counts);
    for (let from = 0; from < lines.length; from += rowsAtOnce) {
      await add(tx, tenant.id, lines.slice(from, from + rowsAtOnce));
    }
    await tx
      .updateTable('ledger_positions')
      .set({ batch })
      .where('tenant_id', '=', tenant.id)
      .where('generation', '=', tenant.generation ?? 0)
      .execute();
    return batch;
  }

  async #take(tenant: TenantRef, batch: number): Promise<Batch> {
    const taken = await this.#deadline.run(this.#engine.takeLedger(tenant, batch));
    if (taken.kind === 'taken') return { batch, counts: taken.counts };
    // The database was set back: the store knows of later batches than it.
    return this.#take(tenant, taken.last + 1);
  }
}

type Batch = { readonly batch: number; readonly counts: readonly LedgerCount[] };

/** The last batch that was moved; nobody else moves any until the transaction ends. */
async function lockPosition(
  tx: Transaction<Tables>,
  { id, generation = 0 }: TenantRef,
): Promise<number | null> {
  const lock = () =>
    tx
      .selectFrom('ledger_positions')
      .select('batch')
      .where('tenant_id', '=', id)
      .where('generation', '=', generation)
      .forUpdate()
      .executeTakeFirst();
  const known = await lock();
  if (known) return known.batch;
  // Of a tenant that is gone nothing is kept.
  await sql`
    INSERT INTO ledger_positions (tenant_id, generation, batch)
    SELECT id, ${generation}::integer, 0 FROM tenants WHERE id = ${id}
    ON CONFLICT DO NOTHING`.execute(tx);
  return (await lock())?.batch ?? null;
}

async function add(
  tx: Transaction<Tables>,
  tenantId: string,
  lines: readonly UsageLine[],
): Promise<void> {
  await sql`
    INSERT INTO usage_counts (tenant_id, step, at, resource, limit_name, outcome, count)
    SELECT ${tenantId}::uuid, step, to_timestamp(at), resource, limit_name, outcome, count
    FROM unnest(${lines.map(({ step }) => step)}::text[],
      ${lines.map(({ at }) => at)}::bigint[],
      ${lines.map(({ resource }) => resource)}::text[],
      ${lines.map(({ limitName }) => limitName)}::text[],
      ${lines.map(({ outcome }) => outcome)}::text[],
      ${lines.map(({ count }) => count)}::bigint[])
      AS line (step, at, resource, limit_name, outcome, count)
    ON CONFLICT (tenant_id, step, at, resource, limit_name, outcome)
    DO UPDATE SET count = usage_counts.count + excluded.count`.execute(tx);
}
