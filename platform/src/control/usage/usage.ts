import { sql, type Kysely } from 'kysely';
import type { Tables } from '../../database/tables.ts';
import { wholeCall } from './drainer.ts';

export const steps = ['minute', 'hour', 'day'] as const;
export type Step = (typeof steps)[number];

export type UsageQuery = {
  readonly tenantId: string;
  readonly from: Date;
  readonly to: Date;
  readonly step: Step;
  readonly resource?: string | undefined;
  readonly limit?: string | undefined;
};

export type UsagePoint = {
  readonly at: Date;
  readonly allowed: number;
  readonly warned: number;
  readonly blocked: number;
};

/** What was counted, over time. */
export class Usage {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async series({ tenantId, from, to, step, resource, limit }: UsageQuery): Promise<UsagePoint[]> {
    const { rows } = await sql<UsagePoint>`
      SELECT date_trunc(${step}, minute, 'UTC') AS at,
        coalesce(sum(count) FILTER (WHERE outcome = 'allowed'), 0)::bigint AS allowed,
        coalesce(sum(count) FILTER (WHERE outcome = 'warned'), 0)::bigint AS warned,
        coalesce(sum(count) FILTER (WHERE outcome = 'blocked'), 0)::bigint AS blocked
      FROM usage_minutes
      WHERE tenant_id = ${tenantId} AND minute >= ${from} AND minute < ${to}
        AND limit_name = ${limit ?? wholeCall}
        AND (${resource ?? null}::text IS NULL OR resource = ${resource ?? null}::text)
      GROUP BY 1 ORDER BY 1`.execute(this.#db);
    return rows;
  }
}
