import { type Kysely, sql } from 'kysely';
import { Deadline } from 'sluice';
import { type Engine, type QuotaSeed, StoreFailure, type TenantRef } from 'sluice/core';
import type { Tables } from '../../database/tables.ts';
import { readSharedEpoch, refOf } from '../epochs/epochs.ts';
import type { QuotaUsage, SavedUsage } from '../quotas/quota-usage.ts';

export type MovesParts = {
  readonly db: Kysely<Tables>;
  readonly engine: Pick<Engine, 'publishEpoch' | 'seed'> & {
    /** What is used of these quotas there. */
    readQuotas(tenant: TenantRef, saved: readonly SavedUsage[]): Promise<readonly QuotaSeed[]>;
  };
  readonly usage: Pick<QuotaUsage, 'save' | 'seedsOf'>;
  /** Moves a ledger to the database. */
  readonly drain: (tenant: TenantRef) => Promise<void>;
  /** What was left in a Redis that does not answer is given up. */
  readonly onLost: (error: unknown) => void;
};

const waitMs = 1000;
const seedsAtOnce = 500;
/**
 * So long a Redis that does not answer is asked again. By then every node knows of the move, and has
 * written down what it saw used: that counts instead.
 */
const unansweredMs = 5000;
const carriedAtOnce = 8;
const tenantsPerLook = 200;
const lookEveryMs = 5000;
/** By then every node has written what it still had to write there. */
const collectedAfterMs = 60_000;
const givenUpAfterMs = 86_400_000;

/**
 * Brings along what tenants used where they were counted before: the quotas at once, before anybody is
 * let in on them elsewhere; the ledger in a while.
 */
export class Moves {
  readonly #parts: MovesParts;
  readonly #deadline = new Deadline(waitMs);

  constructor(parts: MovesParts) {
    this.#parts = parts;
  }

  /**
   * Before a store is told that it may decide for the tenant. First the place that it left refuses who
   * still asks there, so that nothing more is used; then what was used is read, written down for the
   * next place, and told there. However often and by however many nodes: nothing is ever lowered.
   */
  async carry(tenantId: string): Promise<void> {
    const left = await this.#toCarry(tenantId);
    const last = left.at(-1);
    if (!last) return;
    for (const one of left) await this.#carryFrom(one);
    await this.#tell(refOf({ tenantId, generation: last.now_generation, place: last.now_place }));
    await this.#parts.db
      .updateTable('tenant_moves')
      .set({ carried_at: sql<Date>`now()` })
      .where('tenant_id', '=', tenantId)
      .where('generation', '<=', last.generation)
      .execute();
  }

  /** All that wait, for who is not asked for. What can't be done now keeps nobody else waiting. */
  async carryAll(): Promise<void> {
    const rows = await this.#parts.db
      .selectFrom('tenant_moves')
      .select('tenant_id')
      .distinct()
      .where('carried_at', 'is', null)
      .limit(tenantsPerLook)
      .execute();
    await inTurns(rows, ({ tenant_id: tenantId }) => this.carry(tenantId));
  }

  /** Collects the ledgers that were left, and forgets moves of which nothing is left. */
  async collect(): Promise<void> {
    for (;;) {
      const looked = await this.#toLook();
      await inTurns(looked, (one) => this.#collectOne(one));
      if (looked.length < tenantsPerLook) return;
    }
  }

  /** The same for one tenant, before its usage is shown. */
  async drainLeft(tenantId: string): Promise<void> {
    const rows = await this.#parts.db
      .selectFrom('tenant_moves')
      .select(['generation', 'place'])
      .where('tenant_id', '=', tenantId)
      .execute();
    for (const row of rows) await this.#parts.drain(refOf({ tenantId, ...row }));
  }

  async #toCarry(tenantId: string): Promise<Left[]> {
    const { rows } = await sql<Left>`
      SELECT m.tenant_id, m.generation, m.place, e.epoch, e.generation AS now_generation,
        e.place AS now_place, m.moved_at < now() - ${interval(unansweredMs)} AS waited
      FROM tenant_moves m JOIN tenant_epochs e ON e.tenant_id = m.tenant_id
      WHERE m.tenant_id = ${tenantId} AND m.carried_at IS NULL
      ORDER BY m.generation`.execute(this.#parts.db);
    return rows;
  }

  async #carryFrom(left: Left): Promise<void> {
    const { usage } = this.#parts;
    const { tenant_id: tenantId, generation } = left;
    const saved = await usage.seedsOf(tenantId, generation);
    // One of the two after the other, for a counter may be in both.
    for (const seeds of [saved, await this.#readThere(left, saved)]) {
      await usage.save(
        seeds.map(({ global = false, ...seed }) => ({
          ...seed,
          tenantId,
          generation: generation + 1,
          global,
        })),
      );
    }
  }

  async #readThere(left: Left, saved: readonly SavedUsage[]): Promise<readonly QuotaSeed[]> {
    const { db, engine } = this.#parts;
    const tenant = refOf({ ...left, tenantId: left.tenant_id });
    // What is global is counted in one place all along.
    const own = saved.filter(({ global }) => !global);
    try {
      const shared = await readSharedEpoch(db);
      await this.#deadline.run(engine.publishEpoch(tenant, { tenant: left.epoch, shared }));
      return own.length === 0 ? [] : await this.#deadline.run(engine.readQuotas(tenant, own));
    } catch (error) {
      if (!(error instanceof StoreFailure) || !left.waited) throw error;
      this.#parts.onLost(error);
      return [];
    }
  }

  async #tell(tenant: TenantRef): Promise<void> {
    const { usage, engine } = this.#parts;
    const seeds = await usage.seedsOf(tenant.id, tenant.generation ?? 0);
    for (let from = 0; from < seeds.length; from += seedsAtOnce) {
      await this.#deadline.run(engine.seed(tenant, seeds.slice(from, from + seedsAtOnce)));
    }
  }

  /** Nodes share the work: what one looks at, no other does for a while. */
  async #toLook(): Promise<Looked[]> {
    const { rows } = await sql<Looked>`
      UPDATE tenant_moves m SET looked_at = now()
      FROM (
        SELECT tenant_id, generation FROM tenant_moves
        WHERE looked_at < now() - ${interval(lookEveryMs)}
        ORDER BY looked_at LIMIT ${tenantsPerLook} FOR UPDATE SKIP LOCKED
      ) due
      WHERE m.tenant_id = due.tenant_id AND m.generation = due.generation
      RETURNING m.tenant_id, m.generation, m.place, m.carried_at IS NOT NULL AS carried,
        m.moved_at < now() - ${interval(collectedAfterMs)} AS waited,
        m.moved_at < now() - ${interval(givenUpAfterMs)} AS hopeless`.execute(this.#parts.db);
    return rows;
  }

  async #collectOne(looked: Looked): Promise<void> {
    const { tenant_id: tenantId, generation, place, carried, waited, hopeless } = looked;
    try {
      await this.#parts.drain(refOf({ tenantId, generation, place }));
    } catch (error) {
      if (!hopeless) throw error;
      this.#parts.onLost(error);
    }
    if (!carried || !waited) return;
    await this.#parts.db
      .deleteFrom('tenant_moves')
      .where('tenant_id', '=', tenantId)
      .where('generation', '=', generation)
      .execute();
  }
}

type Left = {
  readonly tenant_id: string;
  readonly generation: number;
  readonly place: string | null;
  readonly epoch: number;
  readonly now_generation: number;
  readonly now_place: string | null;
  readonly waited: boolean;
};

type Looked = {
  readonly tenant_id: string;
  readonly generation: number;
  readonly place: string | null;
  readonly carried: boolean;
  readonly waited: boolean;
  readonly hopeless: boolean;
};

/** A few at a time. What fails is thrown when all had their turn. */
async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (let from = 0; from < items.length; from += carriedAtOnce) {
    const results = await Promise.allSettled(items.slice(from, from + carriedAtOnce).map(work));
    for (const result of results) if (result.status === 'rejected') failures.push(result.reason);
  }
  if (failures.length > 0) throw failures[0];
}

function interval(ms: number) {
  return sql`make_interval(secs => ${ms / 1000})`;
}
