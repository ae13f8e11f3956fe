import type { Kysely, Selectable, Transaction } from 'kysely';
import { sql } from 'kysely';
import { InvalidInput } from 'sluice';
import { uuidv7 } from 'uuidv7';
import type { QuotasTable, Tables } from '../../database/tables.ts';
import type { Actor } from '../actor.ts';
import { requirePlatform, requireReach } from '../authorize.ts';
import type { Change, Changed, Changes } from '../change.ts';
import { refOf } from '../epochs/epochs.ts';
import { Conflict, NotFound } from '../errors.ts';
import { touchOwner } from '../owned.ts';
import { type Page, type PageQuery, readPage } from '../page.ts';
import { found, isUuid, nextVersion, requireUuid, requireVersion } from '../rows.ts';
import {
  outOfReach,
  parseQuota,
  patchedQuota,
  type Quota,
  type QuotaInput,
  quotaOf,
  type QuotaValues,
  type TopUp,
  topUpOf,
} from './quota.ts';
import type { ReadStanding, Standing, StandingQuestion } from './standing.ts';
import { quotaLimitMax } from './teams.ts';

/** A quota with what is used of it now. */
export type QuotaReport = Omit<Quota, 'teams'> & {
  readonly starts_at: string;
  readonly ends_at: string;
  readonly effective_limit: number;
  readonly used: number | null;
  readonly remaining: number | null;
  readonly teams: Standing['teams'];
  readonly top_ups: readonly TopUp[];
};

export type TopUpInput = { readonly amount: number; readonly reason: string };
/** `limit` is the organisation's, with all that is in force. */
export type NewTopUp = Omit<TopUp, 'created_at'> & { readonly limit: number };

const topUpsMax = 100;

/**
 * Calendar allowances, one tree for each tenant. A tenant's own token deals out what the tenant has
 * among its teams and users; how much that is, the platform says.
 */
export class Quotas {
  readonly #db: Kysely<Tables>;
  readonly #changes: Changes;
  readonly #readStanding: ReadStanding;

  constructor({
    db,
    changes,
    readStanding,
  }: {
    readonly db: Kysely<Tables>;
    readonly changes: Changes;
    readonly readStanding: ReadStanding;
  }) {
    this.#db = db;
    this.#changes = changes;
    this.#readStanding = readStanding;
  }

  /** Without what is used, which is counted for each branch of each. */
  list({ tenantId }: Actor, page: PageQuery): Promise<Page<Quota>> {
    let query = this.#db.selectFrom('quotas').selectAll();
    if (tenantId !== null) query = query.where('tenant_id', '=', tenantId);
    return readPage(query, {
      list: 'quotas',
      page,
      by: 'tenant_id',
      isKey: isUuid,
      toItem: quotaOf,
    });
  }

  async get(actor: Actor, tenantId: string): Promise<QuotaReport> {
    const question = await this.#question(actor, tenantId);
    const { period, organization, teams } = await this.#readStanding(question);
    return {
      ...question.quota,
      starts_at: isoOfUs(period.startUs),
      ends_at: isoOfUs(period.endUs),
      effective_limit: organization.limit,
      used: organization.used,
      remaining: organization.remaining,
      teams,
      top_ups: question.topUps,
    };
  }

  /** Makes it, or replaces all of it. */
  async put(
    actor: Actor,
    tenantId: string,
    input: QuotaInput,
    expectedVersion: number | null,
  ): Promise<Changed<Quota>> {
    requireReach(actor, 'quota', requireUuid('quota', tenantId));
    const values = parseQuota(input);
    return this.#changes.make(actor, async (change) => {
      await touchOwner(change, tenantId, `put quota ${tenantId}`);
      const row = await lockQuota(change.tx, tenantId);
      if (row) return replace(change, actor, { row, values, expectedVersion });
      requirePlatform(actor, 'make a quota');
      if (expectedVersion !== null) throw new NotFound('quota');
      const made = await change.tx
        .insertInto('quotas')
        .values({ tenant_id: tenantId, ...written(values) })
        .returningAll()
        .executeTakeFirstOrThrow();
      const after = quotaOf(made);
      await change.note({ ...subject(tenantId), action: 'create', after });
      return after;
    });
  }

  async update(
    actor: Actor,
    tenantId: string,
    patch: QuotaInput,
    expectedVersion: number | null,
  ): Promise<Changed<Quota>> {
    await this.#require(actor, tenantId);
    return this.#changes.make(actor, async (change) => {
      await change.touchTenant(tenantId);
      const row = found('quota', await lockQuota(change.tx, tenantId));
      const values = parseQuota(patchedQuota(quotaOf(row), patch));
      return replace(change, actor, { row, values, expectedVersion });
    });
  }

  /** With its top-ups. What was counted stays counted, should it be made again. */
  async remove(
    actor: Actor,
    tenantId: string,
    expectedVersion: number | null,
  ): Promise<Changed<undefined>> {
    requirePlatform(actor, 'delete a quota');
    await this.#require(actor, tenantId);
    return this.#changes.make(actor, async (change) => {
      await change.touchTenant(tenantId);
      const before = quotaOf(found('quota', await lockQuota(change.tx, tenantId)));
      requireVersion('quota', before, expectedVersion);
      await change.tx.deleteFrom('quotas').where('tenant_id', '=', tenantId).execute();
      await change.note({ ...subject(tenantId), action: 'delete', before });
      return undefined;
    });
  }

  /** More for the organisation, until the period that runs now is over. */
  async topUp(
    actor: Actor,
    tenantId: string,
    { amount, reason }: TopUpInput,
    expectedVersion: number | null,
  ): Promise<Changed<NewTopUp>> {
    requirePlatform(actor, 'top up a quota');
    const { period } = await this.#readStanding(await this.#question(actor, tenantId));
    const values = { id: uuidv7(), amount, reason, author: actor.id };
    return this.#changes.make(actor, async (change) => {
      await change.touchTenant(tenantId);
      const before = quotaOf(found('quota', await lockQuota(change.tx, tenantId)));
      requireVersion('quota', before, expectedVersion);
      const limit = before.limit + (await topUpsSum(change.tx, tenantId)) + amount;
      if (limit > quotaLimitMax) {
        throw new InvalidInput(
          'amount',
          `makes ${limit} in all, and at most ${quotaLimitMax} count`,
        );
      }
      const row = await change.tx
        .insertInto('quota_top_ups')
        .values({ ...values, tenant_id: tenantId, ends_at: new Date(period.endUs / 1000) })
        .returningAll()
        .executeTakeFirstOrThrow();
      const { created_at: _, ...made } = topUpOf(row);
      const after = await write(change.tx, tenantId, {});
      await change.note({
        ...subject(tenantId),
        action: 'update',
        before,
        after: { ...after, top_up: made },
      });
      return { ...made, limit };
    });
  }

  async #require(actor: Actor, tenantId: string): Promise<void> {
    requireReach(actor, 'quota', requireUuid('quota', tenantId));
    const query = this.#db.selectFrom('quotas').select('tenant_id');
    found('quota', await query.where('tenant_id', '=', tenantId).executeTakeFirst());
  }

  async #question(actor: Actor, tenantId: string): Promise<StandingQuestion> {
    requireReach(actor, 'quota', requireUuid('quota', tenantId));
    const row = await this.#db
      .selectFrom('quotas')
      .innerJoin('tenants', 'tenants.id', 'quotas.tenant_id')
      .innerJoin('tenant_epochs', 'tenant_epochs.tenant_id', 'quotas.tenant_id')
      .selectAll('quotas')
      .select(['timezone', 'billing_anchor_day', 'generation', 'place'])
      .where('quotas.tenant_id', '=', tenantId)
      .executeTakeFirst();
    const { timezone, billing_anchor_day: day, generation, place, ...quota } = found('quota', row);
    const topUps = await inForce(this.#db, tenantId).selectAll().orderBy('id').execute();
    return {
      tenant: refOf({ tenantId, generation, place }),
      calendar: { timezone, billingAnchorDay: day },
      quota: quotaOf(quota),
      topUps: topUps.map(topUpOf),
    };
  }
}

type Row = Selectable<QuotasTable>;

async function replace(
  change: Change,
  actor: Actor,
  {
    row,
    values,
    expectedVersion,
  }: { readonly row: Row; readonly values: QuotaValues; readonly expectedVersion: number | null },
): Promise<Quota> {
  const before = quotaOf(row);
  const field = outOfReach(before, values);
  if (field !== null) requirePlatform(actor, `change the ${field} of its quota`);
  requireVersion('quota', before, expectedVersion);
  const after = await write(change.tx, row.tenant_id, written(values));
  await change.note({ ...subject(row.tenant_id), action: 'update', before, after });
  return after;
}

async function write(
  tx: Transaction<Tables>,
  tenantId: string,
  values: Partial<ReturnType<typeof written>>,
): Promise<Quota> {
  const row = await tx
    .updateTable('quotas')
    .set({ ...values, ...nextVersion })
    .where('tenant_id', '=', tenantId)
    .returningAll()
    .executeTakeFirstOrThrow();
  return quotaOf(row);
}

function lockQuota(tx: Transaction<Tables>, tenantId: string): Promise<Row | undefined> {
  const query = tx.selectFrom('quotas').selectAll().where('tenant_id', '=', tenantId);
  return query.forUpdate().executeTakeFirst();
}

function inForce(db: Kysely<Tables>, tenantId: string) {
  return db
    .selectFrom('quota_top_ups')
    .where('tenant_id', '=', tenantId)
    .where('ends_at', '>', sql<Date>`now()`);
}

/** Under the lock of the quota: none is missed, and none counted that is not there. */
async function topUpsSum(tx: Transaction<Tables>, tenantId: string): Promise<number> {
  const amounts = await inForce(tx, tenantId).select('amount').execute();
  if (amounts.length >= topUpsMax) {
    throw new Conflict(`this period has ${topUpsMax} top-ups already; raise the limit instead`);
  }
  return amounts.reduce((sum, { amount }) => sum + amount, 0);
}

function written({ limit, teams, ...values }: QuotaValues) {
  return { ...values, allowance: limit, teams: JSON.stringify(teams) };
}

function isoOfUs(us: number): string {
  return new Date(us / 1000).toISOString();
}

function subject(tenantId: string) {
  return { noun: 'quotas', objectId: tenantId, tenantId } as const;
}
