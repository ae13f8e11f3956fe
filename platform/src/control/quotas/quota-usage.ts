import { sql, type Kysely } from 'kysely';
import { systemClock, type Clock, type PeriodBounds, type TenantRef } from 'sluice/core';
import type { Tables } from '../../database/tables.ts';

/** The most that was seen used of one counter's period. */
export type SeenUsage = {
  readonly tenantId: string;
  readonly generation: number;
  readonly counter: string;
  /** The counter is no tenant's; it is kept with the tenant that saw it. */
  readonly global: boolean;
  readonly period: PeriodBounds;
  readonly used: number;
};

/** What the engine is told when it has lost a counter. */
export type SavedUsage = {
  readonly counter: string;
  readonly global: boolean;
  readonly period: PeriodBounds;
  readonly used: number;
};

const rowsAtOnce = 1000;
const dayUs = 86_400_000_000;

/** What quotas have used, where it outlives the store: a month is longer than most stores live. */
export class QuotaUsage {
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;

  constructor(db: Kysely<Tables>, { clock = systemClock }: { readonly clock?: Clock } = {}) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Whoever saw the most is right; a period that began later replaces one that began before. */
  async save(seen: readonly SeenUsage[]): Promise<void> {
    // In one order on all nodes, so that none waits for another that waits for it.
    const rows = seen.map(rowOf).toSorted(byKey);
    for (let from = 0; from < rows.length; from += rowsAtOnce) {
      await this.#write(rows.slice(from, from + rowsAtOnce));
    }
  }

  /** A tenant that is gone meanwhile takes what is told of it along. */
  async #write(rows: readonly Row[]): Promise<void> {
    await sql`
      INSERT INTO quota_usage AS kept
        (tenant_id, generation, counter, starts_at_us, ends_at_us, used)
      SELECT seen.* FROM unnest(${rows.map(({ tenantId }) => tenantId)}::uuid[],
        ${rows.map(({ generation }) => generation)}::integer[],
        ${rows.map(({ counter }) => counter)}::text[],
        ${rows.map(({ period }) => period.startUs)}::bigint[],
        ${rows.map(({ period }) => period.endUs)}::bigint[],
        ${rows.map(({ used }) => used)}::bigint[])
        AS seen (tenant_id, generation, counter, starts_at_us, ends_at_us, used)
      JOIN tenants ON tenants.id = seen.tenant_id
      ON CONFLICT (tenant_id, generation, counter) DO UPDATE
      SET starts_at_us = excluded.starts_at_us, ends_at_us = excluded.ends_at_us,
        used = excluded.used
      WHERE excluded.starts_at_us > kept.starts_at_us
        OR (excluded.starts_at_us = kept.starts_at_us AND excluded.used > kept.used)
    `.execute(this.#db);
  }

  /** All that is known of a tenant's counters whose period still runs. */
  async seedsOf(tenantId: string, generation: number): Promise<SavedUsage[]> {
    const rows = await this.#db
      .selectFrom('quota_usage')
      .select(['counter', 'starts_at_us', 'ends_at_us', 'used'])
      .where('tenant_id', '=', tenantId)
      .where('generation', '=', generation)
      .where('ends_at_us', '>', this.#clock())
      .execute();
    return rows.map((row) => ({
      ...readCounter(row.counter),
      period: { startUs: row.starts_at_us, endUs: row.ends_at_us },
      used: row.used,
    }));
  }

  /** Of counters that somebody set back: what they had used must not come back. */
  async forget({ id, generation = 0 }: TenantRef, counters: readonly string[]): Promise<void> {
    if (counters.length === 0) return;
    await this.#db
      .deleteFrom('quota_usage')
      .where('tenant_id', '=', id)
      .where('generation', '=', generation)
      .where('counter', 'in', counters.flatMap(spellings))
      .execute();
  }

  /** Deletes what was over a day ago: nobody's clock is that late. Returns how many rows. */
  async removeOld(): Promise<number> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('quota_usage')
      .where('ends_at_us', '<', this.#clock() - dayUs)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }
}

type Row = SeenUsage & { readonly key: string };

function rowOf(seen: SeenUsage): Row {
  const counter = writeCounter(seen);
  return { ...seen, counter, key: `${seen.tenantId} ${seen.generation} ${counter}` };
}

function byKey(a: Row, b: Row): number {
  return a.key < b.key ? -1 : 1;
}

/** A tenant's counter and a global one may have one name. */
function writeCounter({ counter, global }: Pick<SeenUsage, 'counter' | 'global'>): string {
  return `${global ? 'g' : 't'}:${counter}`;
}

function spellings(counter: string): string[] {
  return [true, false].map((global) => writeCounter({ counter, global }));
}

function readCounter(text: string): { readonly counter: string; readonly global: boolean } {
  return { counter: text.slice(2), global: text.startsWith('g:') };
}
