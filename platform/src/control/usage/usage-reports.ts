import { type Kysely } from 'kysely';
import { InvalidInput } from 'sluice';
import type { TenantRef } from 'sluice/core';
import type { Tables } from '../../database/tables.ts';
import type { Actor } from '../actor.ts';
import { requireReach } from '../authorize.ts';
import { refOf } from '../epochs/epochs.ts';
import { found, requireUuid } from '../rows.ts';
import type { Freshness } from './freshness.ts';
import { parseSpan, type SpanInput } from './span.ts';
import { usageSummary } from './summary.ts';
import { type Grouping, Usage } from './usage.ts';

export type UsageReportQuery = SpanInput & {
  readonly tenant_id?: string;
  readonly resource?: string;
  readonly limit_name?: string;
  readonly group_by?: Grouping;
  readonly top?: number;
};

export const topDefault = 10;
export const topMax = 50;

/** A node moves what its tenants counted every ten seconds. */
const movedWithinMs = 30_000;

/** Usage as operators read it: of a tenant, or of all of them together. */
export class UsageReports {
  readonly #db: Kysely<Tables>;
  readonly #usage: Usage;
  readonly #freshness: Pick<Freshness, 'of'>;

  constructor({
    db,
    freshness,
  }: {
    readonly db: Kysely<Tables>;
    readonly freshness: Pick<Freshness, 'of'>;
  }) {
    this.#db = db;
    this.#usage = new Usage(db);
    this.#freshness = freshness;
  }

  async read(actor: Actor, query: UsageReportQuery) {
    const { resource, limit_name: limitName, group_by: grouping, top } = query;
    if (top !== undefined && grouping === undefined) {
      throw new InvalidInput('top', 'is for groups; say `group_by`');
    }
    const span = parseSpan(query);
    const tenantId = query.tenant_id ?? actor.tenantId;
    const completeUntil = await this.#completeUntil(actor, tenantId);
    const asked = { tenantId, resource, ...span };
    const [series, limits, groups] = await Promise.all([
      this.#usage.series({ ...asked, limitName }),
      this.#usage.byLimit(asked),
      grouping && this.#usage.groups({ ...asked, limitName }, grouping, top ?? topDefault),
    ]);
    return {
      tenant_id: tenantId,
      resource: resource ?? null,
      limit_name: limitName ?? null,
      from: span.from.toISOString(),
      to: span.to.toISOString(),
      step: span.step,
      complete_until: completeUntil?.toISOString() ?? null,
      ...series,
      limits,
      groups: groups ?? [],
      summary: usageSummary(series.totals, limits, { ...span, limitName }),
    };
  }

  async #completeUntil(actor: Actor, tenantId: string | null): Promise<Date | null> {
    if (tenantId === null) return new Date(Date.now() - movedWithinMs);
    requireReach(actor, 'tenant', requireUuid('tenant', tenantId));
    return this.#freshness.of(await this.#refOf(tenantId));
  }

  async #refOf(tenantId: string): Promise<TenantRef> {
    const row = await this.#db
      .selectFrom('tenants')
      .innerJoin('tenant_epochs', 'tenant_epochs.tenant_id', 'tenants.id')
      .select(['tenant_epochs.generation', 'tenant_epochs.place'])
      .where('tenants.id', '=', tenantId)
      .executeTakeFirst();
    return refOf({ tenantId, ...found('tenant', row) });
  }
}
