import { sql, type Kysely, type Transaction } from 'kysely';
import type { Engine, LedgerCount, TenantRef } from 'sluice/core';
import type { Tables } from '../../database/tables.ts';

/** Stands for the call itself, beside the limits that it was counted by. */
export const wholeCall = '';

/**
 * Moves a tenant's ledger from the store to the database. Batches are numbered by the database: who
 * dies in the middle leaves a batch that the next one finds under the same number, and a number is
 * moved once.
 */
export class Drainer {
  readonly #db: Kysely<Tables>;
  readonly #engine: Pick<Engine, 'takeLedger' | 'dropLedger'>;

  constructor(db: Kysely<Tables>, engine: Pick<Engine, 'takeLedger' | 'dropLedger'>) {
    this.#db = db;
    this.#engine = engine;
  }

  async drain(tenant: TenantRef): Promise<void> {
    const last = await this.#db
      .selectFrom('ledger_positions')
      .select('batch')
      .where('tenant_id', '=', tenant.id)
      .executeTakeFirst();
    const batch = (last?.batch ?? 0) + 1;
    const counts = await this.#engine.takeLedger(tenant, String(batch));
    if (counts.length === 0) return;
    const isOurs = await this.#db.transaction().execute(async (tx) => {
      if (!(await advance(tx, tenant.id, batch))) return false;
      await add(tx, tenant.id, counts);
      return true;
    });
    if (isOurs) await this.#engine.dropLedger(tenant, String(batch));
  }
}

/** False when somebody else has moved this batch. */
async function advance(tx: Transaction<Tables>, tenantId: string, batch: number): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO ledger_positions (tenant_id, batch) VALUES (${tenantId}, ${batch})
    ON CONFLICT (tenant_id) DO UPDATE SET batch = excluded.batch
    WHERE ledger_positions.batch = excluded.batch - 1
    RETURNING batch`.execute(tx);
  return rows.length === 1;
}

async function add(
  tx: Transaction<Tables>,
  tenantId: string,
  counts: readonly LedgerCount[],
): Promise<void> {
  const lines = summed(counts.flatMap(expand));
  await sql`
    INSERT INTO usage_minutes (tenant_id, minute, resource, limit_name, outcome, count)
    SELECT ${tenantId}::uuid, to_timestamp(minute * 60), resource, limit_name, outcome, count
    FROM unnest(${lines.map(({ minute }) => minute)}::bigint[],
      ${lines.map(({ resource }) => resource)}::text[],
      ${lines.map(({ limitName }) => limitName)}::text[],
      ${lines.map(({ outcome }) => outcome)}::text[],
      ${lines.map(({ count }) => count)}::bigint[]) AS line (minute, resource, limit_name, outcome, count)
    ON CONFLICT (tenant_id, minute, resource, limit_name, outcome)
    DO UPDATE SET count = usage_minutes.count + excluded.count`.execute(tx);
}

type Line = {
  readonly minute: number;
  readonly resource: string;
  readonly limitName: string;
  readonly outcome: LedgerCount['outcome'];
  readonly count: number;
};

/** A label is a resource and the names of the limits that applied: a line for each, and one for all. */
function expand({ minute, label, outcome, count }: LedgerCount): Line[] {
  const end = label.lastIndexOf(' ');
  const resource = label.slice(0, end);
  const limits = label.slice(end + 1).split(',');
  const names = limits[0] === '' ? [wholeCall] : [wholeCall, ...limits];
  return names.map((limitName) => ({ minute, resource, limitName, outcome, count }));
}

/** One row can be changed once by a statement. */
function summed(lines: readonly Line[]): Line[] {
  const sums = new Map<string, Line>();
  for (const line of lines) {
    const name = [line.minute, line.resource, line.limitName, line.outcome].join('\n');
    const sum = sums.get(name);
    sums.set(name, sum ? { ...sum, count: sum.count + line.count } : line);
  }
  return [...sums.values()];
}
