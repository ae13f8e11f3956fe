import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { WirePolicy } from 'sluice/contract';
import { uuidv7 } from 'uuidv7';
import type { Tables } from '../../database/tables.ts';
import type { Actor } from '../actor.ts';
import { requirePlatform } from '../authorize.ts';
import type { Changed, Changes } from '../change.ts';
import { Conflict } from '../errors.ts';
import { removeOwned, requireRoom, touchOwner, whereOwner } from '../owned.ts';
import { type Page, type PageQuery, readPage } from '../page.ts';
import { found, isUuid, lockObject, nextVersion, requireUuid } from '../rows.ts';
import { parsePolicy, patchedPolicy, type Policy, type PolicyInput, policyOf } from './policy.ts';
import { fromPolicyTemplate } from './templates.ts';

export type PolicyQuery = PageQuery & { readonly tenant_id?: string; readonly resource?: string };

const roomFor = { tenant: 500, shared: 500 } as const;

const collection = { table: 'policies', noun: 'policy', toObject: policyOf } as const;

/** What resources cost, and which limits they add. */
export class Policies {
  readonly #db: Kysely<Tables>;
  readonly #changes: Changes;

  constructor({ db, changes }: { readonly db: Kysely<Tables>; readonly changes: Changes }) {
    this.#db = db;
    this.#changes = changes;
  }

  async list(
    actor: Actor,
    { tenant_id: owner, resource, ...page }: PolicyQuery,
  ): Promise<Page<Policy>> {
    let query = this.#seenBy(actor);
    if (owner !== undefined) query = query.where(whereOwner(owner));
    if (resource !== undefined) query = query.where('resource', '=', resource);
    return readPage(query, { list: 'policies', page, by: 'id', isKey: isUuid, toItem: policyOf });
  }

  async get(actor: Actor, id: string): Promise<Policy> {
    const row = await this.#seenBy(actor)
      .where('id', '=', requireUuid('policy', id))
      .executeTakeFirst();
    return policyOf(found('policy', row));
  }

  /** All of them to the platform; to a tenant its own, and the shared ones, which it is under. */
  #seenBy({ tenantId }: Actor) {
    const query = this.#db.selectFrom('policies').selectAll();
    if (tenantId === null) return query;
    return query.where(sql<boolean>`(tenant_id = ${tenantId} OR tenant_id IS NULL)`);
  }

  async create(
    actor: Actor,
    input: PolicyInput & { readonly tenant_id?: string | null },
  ): Promise<Changed<Policy>> {
    requirePlatform(actor, 'make policies');
    const values = parsePolicy(fromPolicyTemplate(input));
    const { tenant_id: tenantId } = values;
    const id = uuidv7();
    return this.#changes.make(actor, async (change) => {
      await touchOwner(change, tenantId, `create policy ${id}`);
      await requireRoom(change.tx, { table: 'policies', tenantId, ...roomFor });
      await requireFreeResource(change.tx, { tenantId, resource: values.resource, id });
      const row = await change.tx
        .insertInto('policies')
        .values({ id, ...written(values) })
        .returningAll()
        .executeTakeFirstOrThrow();
      const after = policyOf(row);
      await change.note({ ...subject(after), action: 'create', after });
      return after;
    });
  }

  async update(
    actor: Actor,
    id: string,
    patch: PolicyInput,
    expectedVersion: number | null,
  ): Promise<Changed<Policy>> {
    requirePlatform(actor, 'change policies');
    const { tenant_id: tenantId } = await this.get(actor, id);
    return this.#changes.make(actor, async (change) => {
      await change.touch(tenantId, `update policy ${id}`);
      const before = await lockObject(change.tx, { ...collection, id, expectedVersion });
      const values = parsePolicy(patchedPolicy(before, patch));
      await requireFreeResource(change.tx, { tenantId, resource: values.resource, id });
      const row = await change.tx
        .updateTable('policies')
        .set({ ...written(values), ...nextVersion })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      const after = policyOf(row);
      await change.note({ ...subject(after), action: 'update', before, after });
      return after;
    });
  }

  async remove(
    actor: Actor,
    id: string,
    expectedVersion: number | null,
  ): Promise<Changed<undefined>> {
    requirePlatform(actor, 'delete policies');
    const { tenant_id: tenantId } = await this.get(actor, id);
    return removeOwned(this.#changes, actor, collection, {
      id,
      tenantId,
      expectedVersion,
    });
  }
}

async function requireFreeResource(
  tx: Transaction<Tables>,
  {
    tenantId,
    resource,
    id,
  }: { readonly tenantId: string | null; readonly resource: string; readonly id: string },
): Promise<void> {
  const other = await tx
    .selectFrom('policies')
    .select('id')
    .where('resource', '=', resource)
    .where('tenant_id', tenantId === null ? 'is' : '=', tenantId)
    .where('id', '!=', id)
    .executeTakeFirst();
  if (other) throw new Conflict(`resource: the policy ${other.id} is for it`, 'resource');
}

function written({ costs, limits, ...values }: WirePolicy) {
  return { ...values, costs: JSON.stringify(costs), limits: JSON.stringify(limits) };
}

function subject({ id, tenant_id: tenantId }: Policy) {
  return { noun: 'policies', objectId: id, tenantId } as const;
}
