import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import type { Tables } from '../../database/tables.ts';
import type { Actor } from '../actor.ts';
import { requirePlatform } from '../authorize.ts';
import type { Changed, Changes } from '../change.ts';
import { Conflict } from '../errors.ts';
import { type Page, type PageQuery, readPage } from '../page.ts';
import { removeOwned, requireRoom, touchOwner, whereOwner } from '../owned.ts';
import { found, isUuid, lockObject, nextVersion, requireUuid } from '../rows.ts';
import { parsePlan, patchedPlan, type Plan, type PlanInput, planOf } from './plan.ts';
import { fromTemplate } from './templates.ts';

export type PlanQuery = PageQuery & { readonly tenant_id?: string; readonly name?: string };

const roomFor = { tenant: 200, shared: 1000 } as const;

const collection = { table: 'plans', noun: 'plan', toObject: planOf } as const;

/** Sets of limits that tenants are on. */
export class Plans {
  readonly #db: Kysely<Tables>;
  readonly #changes: Changes;

  constructor({ db, changes }: { readonly db: Kysely<Tables>; readonly changes: Changes }) {
    this.#db = db;
    this.#changes = changes;
  }

  async list(actor: Actor, { tenant_id: owner, name, ...page }: PlanQuery): Promise<Page<Plan>> {
    let query = this.#seenBy(actor);
    if (owner !== undefined) query = query.where(whereOwner(owner));
    if (name !== undefined) query = query.where('name', '=', name);
    return readPage(query, { list: 'plans', page, by: 'id', isKey: isUuid, toItem: planOf });
  }

  async get(actor: Actor, id: string): Promise<Plan> {
    const row = await this.#seenBy(actor)
      .where('id', '=', requireUuid('plan', id))
      .executeTakeFirst();
    return planOf(found('plan', row));
  }

  /** All of them to the platform; to a tenant its own, and the shared one that it is on. */
  #seenBy({ tenantId }: Actor) {
    const query = this.#db.selectFrom('plans').selectAll();
    if (tenantId === null) return query;
    return query.where(sql<boolean>`(
      tenant_id = ${tenantId} OR tenant_id IS NULL AND EXISTS (
        SELECT FROM tenants WHERE tenants.id = ${tenantId} AND ${isOnPlan}
      ))`);
  }

  async create(
    actor: Actor,
    { tenant_id: tenantId = null, ...input }: PlanInput & { readonly tenant_id?: string | null },
  ): Promise<Changed<Plan>> {
    requirePlatform(actor, 'make plans');
    const values = parsePlan(fromTemplate(input));
    const id = uuidv7();
    return this.#changes.make(actor, async (change) => {
      await touchOwner(change, tenantId, `create plan ${id}`);
      await requireRoom(change.tx, { table: 'plans', tenantId, ...roomFor });
      await requireFreeName(change.tx, { tenantId, name: values.name, id });
      const row = await change.tx
        .insertInto('plans')
        .values({ id, tenant_id: tenantId, ...written(values) })
        .returningAll()
        .executeTakeFirstOrThrow();
      const after = planOf(row);
      await change.note({ ...subject(after), action: 'create', after });
      return after;
    });
  }

  async update(
    actor: Actor,
    id: string,
    patch: PlanInput,
    expectedVersion: number | null,
  ): Promise<Changed<Plan>> {
    requirePlatform(actor, 'change plans');
    const { tenant_id: tenantId } = await this.get(actor, id);
    return this.#changes.make(actor, async (change) => {
      await change.touch(tenantId, `update plan ${id}`);
      const before = await lockObject(change.tx, { ...collection, id, expectedVersion });
      const values = parsePlan(patchedPlan(before, patch));
      if (values.name !== before.name) {
        await requireFreeName(change.tx, { tenantId, name: values.name, id });
        if (tenantId === null) await requireNoTier(change.tx, before);
      }
      const row = await change.tx
        .updateTable('plans')
        .set({ ...written(values), ...nextVersion })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      const after = planOf(row);
      await change.note({ ...subject(after), action: 'update', before, after });
      return after;
    });
  }

  async remove(
    actor: Actor,
    id: string,
    expectedVersion: number | null,
  ): Promise<Changed<undefined>> {
    requirePlatform(actor, 'delete plans');
    const { tenant_id: tenantId } = await this.get(actor, id);
    return removeOwned(this.#changes, actor, collection, {
      id,
      tenantId,
      expectedVersion,
      allow: requireUnused,
    });
  }
}

/** By its id; or, without one, by its tier. */
const isOnPlan = sql<boolean>`(
  tenants.plan_id = plans.id
  OR tenants.plan_id IS NULL AND plans.tenant_id IS NULL AND tenants.tier = plans.name)`;

async function requireUnused({ id }: Plan, tx: Transaction<Tables>): Promise<void> {
  const { rows } = await sql<{ users: number }>`
    SELECT count(*) AS users FROM tenants JOIN plans ON ${isOnPlan}
    WHERE plans.id = ${id}`.execute(tx);
  const users = rows[0]?.users ?? 0;
  if (users > 0) throw inUse(users);
}

/** Tenants without a plan of their own find theirs by its name: it can't be renamed under them. */
async function requireNoTier(tx: Transaction<Tables>, { name }: Plan): Promise<void> {
  const { rows } = await sql<{ users: number }>`
    SELECT count(*) AS users FROM tenants WHERE plan_id IS NULL AND tier = ${name}`.execute(tx);
  const users = rows[0]?.users ?? 0;
  if (users > 0) throw inUse(users);
}

function inUse(users: number): Conflict {
  const who = users === 1 ? '1 tenant is' : `${users} tenants are`;
  return new Conflict(`${who} on this plan; move them to another one first`);
}

async function requireFreeName(
  tx: Transaction<Tables>,
  {
    tenantId,
    name,
    id,
  }: { readonly tenantId: string | null; readonly name: string; readonly id: string },
): Promise<void> {
  const other = await tx
    .selectFrom('plans')
    .select('id')
    .where('name', '=', name)
    .where('tenant_id', tenantId === null ? 'is' : '=', tenantId)
    .where('id', '!=', id)
    .executeTakeFirst();
  if (other) throw new Conflict(`name: another plan is called ${name}`, 'name');
}

function written({ name, limits }: Pick<Plan, 'name' | 'limits'>) {
  return { name, limits: JSON.stringify(limits) };
}

function subject({ id, tenant_id: tenantId }: Plan) {
  return { noun: 'plans', objectId: id, tenantId } as const;
}
