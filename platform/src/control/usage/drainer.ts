import { Deadline } from 'sluice';
import type { Kysely, Transaction } from 'kysely';
import type { Engine, LedgerCount, TenantRef } from 'sluice/core';
import type { Tables } from '../../database/tables.ts';
import {
  addLines,
  lockPositions,
  makePositions,
  notePositions,
  type Position,
} from './ledger-rows.ts';
import { usageLines } from './usage-lines.ts';

export type LedgerStore = Pick<Engine, 'takeLedger' | 'dropLedger'>;

/** Whose ledger stays where it is for now, and why. */
export type Undrained = { readonly tenant: TenantRef; readonly error: unknown };

/** A connection is held meanwhile: a store that is slow must not take them all. */
const waitMs = 1000;
const rowsAtOnce = 1000;
/** Scripts that stand one behind another in a store, before everybody's checks. */
const asksAtOnce = 25;

/**
 * Moves ledgers from the store to the database. Batches are numbered by the database, for each
 * tenant in a row that is locked from before a batch is set aside until it is counted: drainers take
 * turns. Who dies in the middle leaves batches that the next one finds under the same numbers; who
 * dies after that, some that are known to be moved.
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
    const [undrained] = await this.drainAll([tenant]);
    if (undrained) throw undrained.error;
  }

  /**
   * The same for many, each named once, in one transaction. What the store does not give stays for
   * another time and keeps nobody else's; what the database does not take fails for all of them.
   */
  async drainAll(tenants: readonly TenantRef[]): Promise<readonly Undrained[]> {
    const first = await this.#drainKnown(tenants);
    if (first.unknown.length === 0) return first.undrained;
    await makePositions(this.#db, first.unknown);
    const second = await this.#drainKnown(first.unknown);
    return [...first.undrained, ...second.undrained];
  }

  async #drainKnown(tenants: readonly TenantRef[]): Promise<Drained> {
    const { batches, undrained, unknown } = await this.#db
      .transaction()
      .execute((tx) => this.#move(tx, tenants));
    const kept = await inParts(batches, async ({ tenant, batch }) => {
      await this.#deadline.run(this.#engine.dropLedger(tenant, batch));
    });
    return { undrained: [...undrained, ...kept], unknown };
  }

  async #move(tx: Transaction<Tables>, tenants: readonly TenantRef[]): Promise<Moved> {
    const { positions, unknown } = await lockPositions(tx, tenants);
    const batches: Batch[] = [];
    const undrained = await inParts(positions, async (position) => {
      const batch = await this.#take(position.tenant, position.batch + 1);
      if (batch.counts.length > 0) batches.push(batch);
    });
    const lines = batches.flatMap(({ tenant, counts }) =>
      usageLines(counts).map((line) => ({ tenantId: tenant.id, ...line })),
    );
    for (let from = 0; from < lines.length; from += rowsAtOnce) {
      await addLines(tx, lines.slice(from, from + rowsAtOnce));
    }
    if (batches.length > 0) await notePositions(tx, batches);
    return { batches, undrained, unknown };
  }

  async #take(tenant: TenantRef, batch: number): Promise<Batch> {
    const taken = await this.#deadline.run(this.#engine.takeLedger(tenant, batch));
    if (taken.kind === 'taken') return { tenant, batch, counts: taken.counts };
    // The database was set back: the store knows of later batches than it.
    return this.#take(tenant, taken.last + 1);
  }
}

type Batch = Position & { readonly counts: readonly LedgerCount[] };
/** `unknown` have no position yet, or are gone. */
type Drained = {
  readonly undrained: readonly Undrained[];
  readonly unknown: readonly TenantRef[];
};
type Moved = Drained & { readonly batches: readonly Batch[] };

/** A few at a time. Returns those that failed; where all of a part did, the rest is not tried. */
async function inParts<One extends { readonly tenant: TenantRef }>(
  all: readonly One[],
  work: (one: One) => Promise<void>,
): Promise<readonly Undrained[]> {
  const undrained: Undrained[] = [];
  for (let from = 0; from < all.length; from += asksAtOnce) {
    const part = all.slice(from, from + asksAtOnce);
    const outcomes = await Promise.allSettled(part.map(work));
    let reason: unknown;
    let failed = 0;
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome.status === 'fulfilled') continue;
      reason = outcome.reason;
      failed += 1;
      undrained.push({ tenant: (part[at] as One).tenant, error: reason });
    }
    if (failed < part.length) continue;
    const rest = all.slice(from + asksAtOnce);
    return [...undrained, ...rest.map(({ tenant }) => ({ tenant, error: reason }))];
  }
  return undrained;
}
