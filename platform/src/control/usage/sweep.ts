import { sql, type Kysely } from 'kysely';
import { Deadline } from 'sluice';
import type { Engine, TenantRef } from 'sluice/core';
import type { Tables } from '../../database/tables.ts';

export type SweepParts = {
  readonly db: Kysely<Tables>;
  readonly engine: Pick<Engine, 'hasLedger'>;
  /** Returns what could not be moved. */
  readonly drain: (
    tenants: readonly TenantRef[],
  ) => Promise<readonly { readonly error: unknown }[]>;
  /** After a page. False: somebody else is to go on from there. */
  readonly rest: (workedMs: number) => Promise<boolean>;
};

const everyMs = 3_600_000;
/** Of a node that dies with a page another takes it then. */
const leaseMs = 60_000;
/** Few enough that checks do not feel a page. */
const pageSize = 100;
const askedAtOnce = 20;
const askWaitMs = 1000;

/**
 * Looks for ledgers that nobody moves, for the node that their tenants called is gone: through all
 * tenants, about once an hour, one node at a time.
 */
export class LedgerSweep {
  readonly #parts: SweepParts;
  readonly #deadline = new Deadline(askWaitMs);

  constructor(parts: SweepParts) {
    this.#parts = parts;
  }

  /**
   * Goes through all tenants if it is time and no other node does. What can't be moved keeps nobody
   * else's waiting: it is tried again the next time, and thrown in the end.
   */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    let tenants = await this.#claim();
    while (tenants) {
      const startMs = performance.now();
      failures.push(...(await this.#look(tenants)));
      await this.#note(tenants);
      if (tenants.length < pageSize) break;
      const goesOn = await this.#parts.rest(performance.now() - startMs);
      tenants = goesOn ? await this.#claim() : null;
    }
    if (failures.length > 0) throw failures[0];
  }

  async #claim(): Promise<readonly Waiting[] | null> {
    const { db } = this.#parts;
    const { rows } = await sql<{ after_tenant_id: string | null }>`
      UPDATE ledger_sweep SET next_at = now() + ${interval(leaseMs)}
      WHERE next_at <= now() RETURNING after_tenant_id`.execute(db);
    const claimed = rows[0];
    if (!claimed) return null;
    const { rows: tenants } = await sql<Waiting>`
      SELECT tenants.id, epochs.generation, epochs.place, coalesce(positions.batch, 0) AS batch
      FROM tenants
      JOIN tenant_epochs epochs ON epochs.tenant_id = tenants.id
      LEFT JOIN ledger_positions positions
        ON positions.tenant_id = tenants.id AND positions.generation = epochs.generation
      WHERE ${claimed.after_tenant_id}::uuid IS NULL OR tenants.id > ${claimed.after_tenant_id}::uuid
      ORDER BY tenants.id LIMIT ${pageSize}`.execute(db);
    return tenants;
  }

  async #look(tenants: readonly Waiting[]): Promise<unknown[]> {
    const failures: unknown[] = [];
    for (let from = 0; from < tenants.length; from += askedAtOnce) {
      const asked = tenants.slice(from, from + askedAtOnce);
      const answers = await Promise.allSettled(asked.map((tenant) => this.#hasLedger(tenant)));
      const waiting: TenantRef[] = [];
      for (const [at, answer] of answers.entries()) {
        if (answer.status === 'rejected') failures.push(answer.reason);
        else if (answer.value) waiting.push(refOf(asked[at] as Waiting));
      }
      failures.push(...(await this.#drain(waiting)));
    }
    return failures;
  }

  async #drain(tenants: readonly TenantRef[]): Promise<unknown[]> {
    if (tenants.length === 0) return [];
    try {
      return (await this.#parts.drain(tenants)).map(({ error }) => error);
    } catch (error) {
      return [error];
    }
  }

  #hasLedger(waiting: Waiting): Promise<boolean> {
    const { engine } = this.#parts;
    return this.#deadline.run(engine.hasLedger(refOf(waiting), waiting.batch + 1));
  }

  /** Where the next page begins: at once, or in an hour from the first tenant on. */
  async #note(tenants: readonly Waiting[]): Promise<void> {
    const last = tenants.length === pageSize ? (tenants.at(-1)?.id ?? null) : null;
    const waitMs = last === null ? everyMs : 0;
    await sql`
      UPDATE ledger_sweep
      SET after_tenant_id = ${last}, next_at = now() + ${interval(waitMs)}`.execute(this.#parts.db);
  }
}

type Waiting = {
  readonly id: string;
  readonly generation: number;
  readonly place: string | null;
  readonly batch: number;
};

function refOf({ id, generation, place }: Waiting): TenantRef {
  return { id, generation, place: place ?? undefined };
}

function interval(ms: number) {
  return sql`make_interval(secs => ${ms / 1000})`;
}
