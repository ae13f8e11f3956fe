import { sql, type Kysely, type Transaction } from 'kysely';
import type { PeriodBounds } from 'sluice/core';
import { uuidv7 } from 'uuidv7';
import type { Tables } from '../../database/tables.ts';
import type { Actor } from '../actor.ts';
import { Change } from '../change.ts';
import { enqueue } from '../webhooks/enqueue.ts';

/** The shares of a limit, in per cent, that are worth telling somebody. */
export const quotaThresholds = [80, 95, 100] as const;
export type QuotaThreshold = (typeof quotaThresholds)[number];

/** A branch of a tree was seen at a threshold. */
export type QuotaNotice = {
  readonly tenantId: string;
  readonly quota: string;
  readonly level: 'organization' | 'team' | 'user';
  readonly entity: string;
  readonly threshold: QuotaThreshold;
  readonly used: number;
  readonly limit: number;
  readonly period: PeriodBounds;
};

/** What subscribers are told, and what the audit keeps. */
export type QuotaEvent = {
  readonly id: string;
  readonly type: 'quota.threshold';
  readonly at: string;
  readonly tenant_id: string;
  readonly quota: string;
  readonly level: string;
  readonly entity: string;
  readonly threshold: number;
  readonly used: number;
  readonly limit: number;
  readonly period: { readonly starts_at: string; readonly ends_at: string };
};

const noticesAtOnce = 200;
/** Longer than the longest period, so that none of a year is told twice. */
const keptDays = 400;

/** Nobody asked for it. */
const system: Actor = { id: 'system', role: 'owner', tenantId: null, requestId: null };

/**
 * Tells of thresholds: each once in a period, whichever node saw it first. The audit and the
 * deliveries are written with it or not at all.
 */
export class QuotaEvents {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async raise(notices: readonly QuotaNotice[]): Promise<QuotaEvent[]> {
    // In one order on all nodes, so that none waits for another that waits for it.
    const sorted = notices.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    const raised: QuotaEvent[] = [];
    for (let from = 0; from < sorted.length; from += noticesAtOnce) {
      raised.push(...(await this.#raiseSome(sorted.slice(from, from + noticesAtOnce))));
    }
    return raised;
  }

  #raiseSome(notices: readonly QuotaNotice[]): Promise<QuotaEvent[]> {
    return this.#db.transaction().execute(async (tx) => {
      const events = await insert(tx, notices);
      const change = new Change(tx, system);
      for (const event of events) {
        const { tenant_id: tenantId } = event;
        await change.note({
          action: 'notice',
          noun: 'quotas',
          objectId: tenantId,
          tenantId,
          after: event,
        });
      }
      await enqueue(tx, events);
      return events;
    });
  }

  async removeOld(): Promise<number> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('quota_events')
      .where('at', '<', sql<Date>`now() - make_interval(days => ${keptDays})`)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }
}

/** Those that nobody told before. Who tries at the same time waits, and then finds them told. */
async function insert(
  tx: Transaction<Tables>,
  notices: readonly QuotaNotice[],
): Promise<QuotaEvent[]> {
  const byId = new Map(notices.map((notice) => [uuidv7(), notice]));
  const all = [...byId.values()];
  const { rows } = await sql<{ readonly id: string; readonly at: Date }>`
    INSERT INTO quota_events (id, tenant_id, quota, level, entity, starts_at_us, threshold)
    SELECT seen.* FROM unnest(${[...byId.keys()]}::uuid[],
      ${all.map(({ tenantId }) => tenantId)}::uuid[],
      ${all.map(({ quota }) => quota)}::text[],
      ${all.map(({ level }) => level)}::text[],
      ${all.map(({ entity }) => entity)}::text[],
      ${all.map(({ period }) => period.startUs)}::bigint[],
      ${all.map(({ threshold }) => threshold)}::integer[])
      AS seen (id, tenant_id, quota, level, entity, starts_at_us, threshold)
    JOIN tenants ON tenants.id = seen.tenant_id
    ON CONFLICT DO NOTHING
    RETURNING id, at`.execute(tx);
  return rows.map(({ id, at }) => eventOf(id, at, byId.get(id) as QuotaNotice));
}

function eventOf(id: string, at: Date, notice: QuotaNotice): QuotaEvent {
  const { tenantId, quota, level, entity, threshold, used, limit, period } = notice;
  return {
    id,
    type: 'quota.threshold',
    at: at.toISOString(),
    tenant_id: tenantId,
    quota,
    level,
    entity,
    threshold,
    used,
    limit,
    period: { starts_at: isoOfUs(period.startUs), ends_at: isoOfUs(period.endUs) },
  };
}

function isoOfUs(us: number): string {
  return new Date(us / 1000).toISOString();
}

function keyOf({ tenantId, quota, level, entity, period, threshold }: QuotaNotice): string {
  return JSON.stringify([tenantId, quota, level, entity, period.startUs, 1000 + threshold]);
}
