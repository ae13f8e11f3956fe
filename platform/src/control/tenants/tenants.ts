import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import { InvalidInput } from 'sluice';
import { uuidv7 } from 'uuidv7';
import type { Tables } from '../../database/tables.ts';
import type { Actor } from '../actor.ts';
import { requireFields, requirePlatform, requireReach } from '../authorize.ts';
import type { Changed, Changes } from '../change.ts';
import { keepReachable } from '../owned.ts';
import { type PageQuery, readPage } from '../page.ts';
import { holdPools, moveTenants, placeNewTenant } from '../pools/places.ts';
import { found, isUuid, lockObject, nextVersion, requireUuid } from '../rows.ts';
import { removeUsageOf } from '../usage/retention.ts';
import {
  type NewTenant,
  type Tenant,
  tenantDefaults,
  tenantOf,
  type TenantPatch,
  type TenantStatus,
  tenantValues,
} from './tenant.ts';

export type TenantQuery = PageQuery & {
  readonly tier?: string;
  readonly status?: TenantStatus;
  readonly name_prefix?: string;
};

/** The customers. What a tenant's token may change of its own is its name. */
export class Tenants {
  readonly #db: Kysely<Tables>;
  readonly #changes: Changes;

  constructor({ db, changes }: { readonly db: Kysely<Tables>; readonly changes: Changes }) {
    this.#db = db;
    this.#changes = changes;
  }

  list(actor: Actor, { tier, status, name_prefix: prefix, ...page }: TenantQuery) {
    let query = this.#db.selectFrom('tenants').selectAll();
    if (actor.tenantId !== null) query = query.where('id', '=', actor.tenantId);
    if (tier !== undefined) query = query.where('tier', '=', tier);
    if (status !== undefined) query = query.where('status', '=', status);
    if (prefix !== undefined) query = query.where(sql<boolean>`starts_with(name, ${prefix})`);
    return readPage(query, { list: 'tenants', page, by: 'id', isKey: isUuid, toItem: tenantOf });
  }

  async get(actor: Actor, id: string): Promise<Tenant> {
    requireReach(actor, 'tenant', requireUuid('tenant', id));
    const row = await this.#db
      .selectFrom('tenants')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return tenantOf(found('tenant', row));
  }

  async create(actor: Actor, input: NewTenant): Promise<Changed<Tenant>> {
    requirePlatform(actor, 'make tenants');
    const id = uuidv7();
    const values = { ...tenantDefaults, ...tenantValues(input) };
    return this.#changes.make(actor, async (change) => {
      await holdPools(change.tx, { exclusive: false });
      await change.startTenant(id);
      await requirePlan(change.tx, id, values.plan_id);
      await requirePool(change.tx, values.pool);
      const row = await change.tx
        .insertInto('tenants')
        .values({ id, ...values })
        .returningAll()
        .executeTakeFirstOrThrow();
      await placeNewTenant(change, id);
      const after = tenantOf(row);
      await change.note({ ...subject(id), action: 'create', after });
      return after;
    });
  }

  async update(
    actor: Actor,
    id: string,
    patch: TenantPatch,
    expectedVersion: number | null,
  ): Promise<Changed<Tenant>> {
    requireFields(actor, patch, ['name']);
    await this.get(actor, id);
    const values = tenantValues(patch);
    const mayMove = values.pool !== undefined || values.tier !== undefined;
    return this.#changes.make(actor, async (change) => {
      if (mayMove) await holdPools(change.tx, { exclusive: false });
      await change.touchTenant(id);
      const before = await lockTenant(change.tx, id, expectedVersion);
      await requirePlan(change.tx, id, values.plan_id);
      await requirePool(change.tx, values.pool);
      const row = await change.tx
        .updateTable('tenants')
        .set({ ...values, ...nextVersion })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      if (mayMove) await moveTenants(change, sql<boolean>`t.id = ${id}`);
      const after = tenantOf(row);
      await change.note({ ...subject(id), action: 'update', before, after });
      return after;
    });
  }

  /**
   * All that is the tenant's goes with it. Its epoch stays and is raised: a node that still knows
   * the tenant hears so on the next check and refuses it.
   */
  async remove(
    actor: Actor,
    id: string,
    expectedVersion: number | null,
  ): Promise<Changed<undefined>> {
    requirePlatform(actor, 'delete tenants');
    await this.get(actor, id);
    return this.#changes.make(actor, async (change) => {
      await change.touchTenant(id, { deleted: true });
      const before = await lockTenant(change.tx, id, expectedVersion);
      await removeUsageOf(change.tx, id);
      await change.tx.deleteFrom('erasures').where('tenant_id', '=', id).execute();
      await removeReceipts(change.tx, id);
      await change.tx.deleteFrom('tenants').where('id', '=', id).execute();
      await change.note({ ...subject(id), action: 'delete', before });
      return undefined;
    });
  }
}

/** More of them would take longer than a statement may: the rest goes with what is old. */
const receiptsAtOnce = 10_000;

async function removeReceipts(tx: Transaction<Tables>, id: string): Promise<void> {
  await sql`
    DELETE FROM receipts WHERE decision_id IN (
      SELECT decision_id FROM receipts WHERE tenant_id = ${id} LIMIT ${receiptsAtOnce}
    )`.execute(tx);
}

function lockTenant(
  tx: Transaction<Tables>,
  id: string,
  expectedVersion: number | null,
): Promise<Tenant> {
  const tenants = { table: 'tenants', noun: 'tenant', toObject: tenantOf } as const;
  return lockObject(tx, { ...tenants, id, expectedVersion });
}

async function requirePlan(
  tx: Transaction<Tables>,
  tenantId: string,
  planId: string | null | undefined,
): Promise<void> {
  if (planId === null || planId === undefined) return;
  await keepReachable(tx, { table: 'plans', noun: 'plan', id: planId, tenantId });
}

async function requirePool(
  tx: Transaction<Tables>,
  name: string | null | undefined,
): Promise<void> {
  if (name === null || name === undefined) return;
  const query = tx.selectFrom('pools').select('id').where('name', '=', name);
  if (await query.executeTakeFirst()) return;
  throw new InvalidInput('pool', 'is not the name of a pool; they are listed at /v1/admin/pools');
}

function subject(id: string) {
  return { noun: 'tenants', objectId: id, tenantId: id } as const;
}
