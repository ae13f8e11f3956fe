import type { Kysely, SelectQueryBuilder, Transaction } from 'kysely';
import { InvalidInput } from 'sluice';
import { parseName } from 'sluice/core';
import { uuidv7 } from 'uuidv7';
import type { Tables } from '../../database/tables.ts';
import type { Actor } from '../actor.ts';
import { requirePlatform } from '../authorize.ts';
import type { Changed, Changes } from '../change.ts';
import { wherePhase } from '../lifetime.ts';
import { removeOwned, requireRoom, touchOwner } from '../owned.ts';
import { type Page, type PageQuery, readPage } from '../page.ts';
import { found, isUuid, lockObject, nextVersion, parseTenantId, requireUuid } from '../rows.ts';
import {
  type Override,
  overrideDefaults,
  type OverrideInput,
  overrideOf,
  type OverridePatch,
  type OverrideRow,
  type OverrideStatus,
  type OverrideValues,
  patchedValues,
  valuesOf,
} from './override.ts';
import { keepNamed, requireMeaning, type Target } from './requirements.ts';

export type OverrideFilters = {
  readonly tenant_id?: string;
  readonly limit?: string;
  readonly resource?: string;
  readonly subject?: string;
  readonly status?: OverrideStatus;
};

/** In a list `limit` says how many: the limit's name has another name there. */
export type OverrideQuery = PageQuery &
  Omit<OverrideFilters, 'limit'> & { readonly limit_name?: string };

export type Cleared = { readonly deleted: number; readonly more: boolean };

const roomFor = { tenant: 5000, shared: 0 } as const;
/** Each is deleted with an entry in the audit, all in one transaction. */
export const clearedMax = 1000;

const collection = {
  table: 'overrides',
  noun: 'override',
  toObject: (row: OverrideRow) => overrideOf(row),
} as const;

/** Other numbers for a limit of a tenant, for some or for all, for a while or for good. */
export class Overrides {
  readonly #db: Kysely<Tables>;
  readonly #changes: Changes;

  constructor({ db, changes }: { readonly db: Kysely<Tables>; readonly changes: Changes }) {
    this.#db = db;
    this.#changes = changes;
  }

  async list(
    actor: Actor,
    { limit, cursor, limit_name: limitName, ...filters }: OverrideQuery,
  ): Promise<Page<Override>> {
    const named = limitName === undefined ? filters : { ...filters, limit: limitName };
    const page = { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
    const nowMs = Date.now();
    return readPage(filtered(this.#seenBy(actor), named), {
      list: 'overrides',
      page,
      by: 'id',
      isKey: isUuid,
      toItem: (row) => overrideOf(row, nowMs),
    });
  }

  async get(actor: Actor, id: string): Promise<Override> {
    const row = await this.#seenBy(actor)
      .where('id', '=', requireUuid('override', id))
      .executeTakeFirst();
    return overrideOf(found('override', row));
  }

  #seenBy({ tenantId }: Actor) {
    const query = this.#db.selectFrom('overrides').selectAll();
    return tenantId === null ? query : query.where('tenant_id', '=', tenantId);
  }

  async create(actor: Actor, input: OverrideInput): Promise<Changed<Override>> {
    requirePlatform(actor, 'make overrides');
    const { tenant_id: tenantId, limit, plan_id: planId, policy_id: policyId, ...said } = input;
    parseName('limit', limit);
    const { numbers, reason } = said;
    const values = patchedValues({ ...overrideDefaults, numbers, reason }, said);
    const target = { tenantId, limit, planId: planId ?? null, policyId: policyId ?? null };
    const id = uuidv7();
    return this.#changes.make(actor, async (change) => {
      await touchOwner(change, tenantId, `create override ${id}`);
      await requireRoom(change.tx, { table: 'overrides', tenantId, ...roomFor });
      await keepNamed(change.tx, target);
      await requireMeaning(change.tx, target, values);
      const row = await change.tx
        .insertInto('overrides')
        .values({ id, ...writtenTarget(target), author: actor.id, ...written(values) })
        .returningAll()
        .executeTakeFirstOrThrow();
      const after = overrideOf(row);
      await change.note({ ...subject(after), action: 'create', after });
      return after;
    });
  }

  async update(
    actor: Actor,
    id: string,
    patch: OverridePatch,
    expectedVersion: number | null,
  ): Promise<Changed<Override>> {
    requirePlatform(actor, 'change overrides');
    const { tenant_id: tenantId } = await this.get(actor, id);
    return this.#changes.make(actor, async (change) => {
      await change.touchTenant(tenantId);
      const row = await lockOverride(change.tx, id, expectedVersion);
      const values = patchedValues(valuesOf(row), patch);
      // What became of the limit since is no reason to keep anybody from ending its override.
      if (patch.numbers !== undefined || patch.resource !== undefined) {
        await requireMeaning(change.tx, targetOf(row), values);
      }
      const after = overrideOf(
        await change.tx
          .updateTable('overrides')
          .set({ ...written(values), ...nextVersion })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow(),
      );
      await change.note({ ...subject(after), action: 'update', before: overrideOf(row), after });
      return after;
    });
  }

  async remove(
    actor: Actor,
    id: string,
    expectedVersion: number | null,
  ): Promise<Changed<undefined>> {
    requirePlatform(actor, 'delete overrides');
    const { tenant_id: tenantId } = await this.get(actor, id);
    return removeOwned(this.#changes, actor, collection, {
      id,
      tenantId,
      expectedVersion,
    });
  }

  /** All that the filters find, the oldest first, up to as many as one transaction should take. */
  async clear(actor: Actor, filters: OverrideFilters): Promise<Changed<Cleared>> {
    requirePlatform(actor, 'delete overrides');
    if (Object.keys(filters).length === 0) {
      throw new InvalidInput('query', `needs one of ${filterNames.join(', ')}; it would clear all`);
    }
    return this.#changes.make(actor, async (change) => {
      const meant = await filtered(change.tx.selectFrom('overrides').selectAll(), filters)
        .orderBy('id')
        .limit(clearedMax + 1)
        .execute();
      const some = meant.slice(0, clearedMax);
      // In one order, so that two who clear at once wait for each other, and not for ever.
      const tenantIds = [...new Set(some.map((row) => row.tenant_id))].toSorted();
      for (const tenantId of tenantIds) await change.touchTenant(tenantId);
      const gone = await deleteAll(change.tx, some, filters);
      await change.noteAll(
        gone.map((before) => ({ ...subject(before), action: 'delete', before })),
      );
      return { deleted: gone.length, more: meant.length > clearedMax };
    });
  }
}

const filterNames = ['tenant_id', 'limit', 'resource', 'subject', 'status'] as const;

type Selected = SelectQueryBuilder<Tables, 'overrides', OverrideRow>;

function filtered(query: Selected, filters: OverrideFilters): Selected {
  const { tenant_id: tenantId, limit, resource, subject: who, status } = filters;
  let rest = query;
  if (tenantId !== undefined) rest = rest.where('tenant_id', '=', parseTenantId(tenantId));
  if (limit !== undefined) rest = rest.where('limit_name', '=', limit);
  if (resource !== undefined) rest = rest.where('resource', '=', resource);
  if (who !== undefined) rest = rest.where('subject', '=', who);
  if (status !== undefined) rest = rest.where(wherePhase[status]);
  return rest;
}

/** Those that are still there, and still meant, now that nobody else changes them. */
async function deleteAll(
  tx: Transaction<Tables>,
  rows: readonly OverrideRow[],
  filters: OverrideFilters,
): Promise<readonly Override[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const named = tx.selectFrom('overrides').selectAll().where('id', 'in', ids);
  const meant = await filtered(named, filters).orderBy('id').forUpdate().execute();
  if (meant.length === 0) return [];
  const found = meant.map(({ id }) => id);
  await tx.deleteFrom('overrides').where('id', 'in', found).execute();
  const nowMs = Date.now();
  return meant.map((row) => overrideOf(row, nowMs));
}

function lockOverride(
  tx: Transaction<Tables>,
  id: string,
  expectedVersion: number | null,
): Promise<OverrideRow> {
  const overrides = { table: 'overrides', noun: 'override', toObject: asStored } as const;
  return lockObject(tx, { ...overrides, id, expectedVersion });
}

function asStored(row: OverrideRow): OverrideRow {
  return row;
}

function targetOf(row: OverrideRow): Target {
  return {
    tenantId: row.tenant_id,
    limit: row.limit_name,
    planId: row.plan_id,
    policyId: row.policy_id,
  };
}

function writtenTarget({ tenantId, limit, planId, policyId }: Target) {
  return { tenant_id: tenantId, limit_name: limit, plan_id: planId, policy_id: policyId };
}

function written({ attributes, numbers, ...values }: OverrideValues) {
  return {
    ...values,
    attributes: JSON.stringify(attributes),
    numbers: JSON.stringify(numbers),
  };
}

function subject({ id, tenant_id: tenantId }: Override) {
  return { noun: 'overrides', objectId: id, tenantId } as const;
}
