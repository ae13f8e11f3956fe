import { sql, type Kysely, type RawBuilder } from 'kysely';
import { ledgerOutcomes, type LedgerOutcome } from 'sluice/core';
import type { Tables } from '../../database/tables.ts';
import type { Span } from './span.ts';
import { stepMs, wholeCall } from './usage-lines.ts';

export type UsageQuery = Span & {
  /** Null for all of them together. */
  readonly tenantId: string | null;
  readonly resource?: string | undefined;
  /** What this limit made of calls, instead of what became of them. */
  readonly limitName?: string | undefined;
};

export type Counts = Readonly<Record<LedgerOutcome, number>>;
export type UsagePoint = { readonly at: string } & Counts;
export type Series = { readonly points: readonly UsagePoint[]; readonly totals: Counts };

/** What a limit made of calls. */
export type LimitCounts = { readonly name: string } & Pick<
  Counts,
  'allowed' | 'blocked' | 'would_block'
>;

export const groupings = ['tenant', 'resource', 'limit'] as const;
export type Grouping = (typeof groupings)[number];

export type Group = Series & {
  /** The id where it is a tenant. */
  readonly name: string;
  readonly tenant_name: string | null;
};

const limitsMax = 100;

/** What was counted, over time. */
export class Usage {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Every step of the span, also those in which nothing was counted. */
  async series(query: UsageQuery): Promise<Series> {
    const { rows } = await sql<Row>`
      SELECT at, outcome, sum(count)::bigint AS count FROM usage_counts
      WHERE ${within(query)} AND limit_name = ${query.limitName ?? wholeCall}
      GROUP BY at, outcome`.execute(this.#db);
    return seriesOf(query, rows);
  }

  /** What each limit made of it, those that refused most first. */
  async byLimit(query: UsageQuery): Promise<LimitCounts[]> {
    const { rows } = await sql<LimitCounts>`
      SELECT limit_name AS name, ${sumOf('allowed')}, ${sumOf('blocked')}, ${sumOf('would_block')}
      FROM usage_counts
      WHERE ${within(query)} AND ${ofLimits(query)}
      GROUP BY limit_name ORDER BY blocked DESC, would_block DESC, allowed DESC, name
      LIMIT ${limitsMax}`.execute(this.#db);
    return rows;
  }

  /** The busiest tenants, resources or limits, each with its own series. */
  async groups(query: UsageQuery, by: Grouping, top: number): Promise<Group[]> {
    const column = sql.ref(columns[by]);
    const counted =
      by === 'limit' ? ofLimits(query) : sql`limit_name = ${query.limitName ?? wholeCall}`;
    const { rows } = await sql<Row & { name: string; tenant_name: string | null }>`
      WITH busiest AS (
        SELECT ${column} AS name, sum(count) AS total FROM usage_counts
        WHERE ${within(query)} AND ${counted}
        GROUP BY 1 ORDER BY total DESC, name LIMIT ${top}
      )
      SELECT busiest.name::text, tenants.name AS tenant_name, at, outcome,
        sum(count)::bigint AS count
      FROM busiest JOIN usage_counts ON ${column} = busiest.name
      LEFT JOIN tenants ON ${by === 'tenant'} AND tenants.id::text = busiest.name::text
      WHERE ${within(query)} AND ${counted}
      GROUP BY busiest.name, busiest.total, tenants.name, at, outcome
      ORDER BY busiest.total DESC, busiest.name`.execute(this.#db);
    const byName = new Map<string, typeof rows>();
    for (const row of rows) {
      const own = byName.get(row.name);
      if (own) own.push(row);
      else byName.set(row.name, [row]);
    }
    return [...byName].map(([name, own]) => ({
      name,
      tenant_name: own[0]?.tenant_name ?? null,
      ...seriesOf(query, own),
    }));
  }
}

type Row = { readonly at: Date; readonly outcome: LedgerOutcome; readonly count: number };

const columns = {
  tenant: 'usage_counts.tenant_id',
  resource: 'usage_counts.resource',
  limit: 'usage_counts.limit_name',
} as const satisfies Record<Grouping, string>;

function within({ tenantId, step, from, to, resource }: UsageQuery): RawBuilder<boolean> {
  const ofTenant = tenantId === null ? sql`` : sql`AND tenant_id = ${tenantId}`;
  const ofResource = resource === undefined ? sql`` : sql`AND resource = ${resource}`;
  return sql<boolean>`step = ${step} AND at >= ${from} AND at < ${to} ${ofTenant} ${ofResource}`;
}

function ofLimits({ limitName }: UsageQuery): RawBuilder<boolean> {
  return limitName === undefined
    ? sql<boolean>`limit_name <> ${wholeCall}`
    : sql<boolean>`limit_name = ${limitName}`;
}

function sumOf(outcome: LedgerOutcome) {
  return sql`coalesce(sum(count) FILTER (WHERE outcome = ${outcome}), 0)::bigint AS ${sql.ref(outcome)}`;
}

type MutableCounts = { -readonly [Outcome in LedgerOutcome]: Counts[Outcome] };

function noCounts(): MutableCounts {
  return Object.fromEntries(ledgerOutcomes.map((outcome) => [outcome, 0])) as MutableCounts;
}

function seriesOf({ from, to, step }: Span, rows: readonly Row[]): Series {
  const byTime = new Map<number, MutableCounts>();
  for (let atMs = from.getTime(); atMs < to.getTime(); atMs += stepMs[step]) {
    byTime.set(atMs, noCounts());
  }
  const totals = noCounts();
  for (const { at, outcome, count } of rows) {
    const counts = byTime.get(at.getTime());
    if (counts) counts[outcome] += count;
    totals[outcome] += count;
  }
  const points = [...byTime].map(([atMs, counts]) => ({
    at: new Date(atMs).toISOString(),
    ...counts,
  }));
  return { points, totals };
}
