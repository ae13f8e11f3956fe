import type { Kysely, Transaction } from 'kysely';
import { uuidv7 } from 'uuidv7';
import type { Tables } from '../../database/tables.ts';
import type { Actor } from '../actor.ts';
import { isKeyId } from '../api-keys/api-key.ts';
import { requireBlocking } from '../authorize.ts';
import type { Changed, Changes } from '../change.ts';
import { NotFound } from '../errors.ts';
import { parseEnd, whereLife } from '../lifetime.ts';
import { removeOwned, requireRoom, touchOwner, whereOwner } from '../owned.ts';
import { type Page, type PageQuery, readPage } from '../page.ts';
import { found, isUuid, lockObject, nextVersion, requireUuid } from '../rows.ts';
import {
  type Block,
  type BlockAction,
  type BlockInput,
  blockOf,
  type BlockPatch,
  type BlockStatus,
  parseWho,
} from './block.ts';

export type BlockQuery = PageQuery & {
  readonly tenant_id?: string;
  readonly action?: BlockAction;
  readonly subject?: string;
  readonly status?: BlockStatus;
};

const roomFor = { tenant: 5000, shared: 5000 } as const;

const collection = { table: 'blocks', noun: 'block', toObject: blockOf } as const;

/** Who is kept out, or let through whatever the limits say. A tenant's token keeps out its own. */
export class Blocks {
  readonly #db: Kysely<Tables>;
  readonly #changes: Changes;

  constructor({ db, changes }: { readonly db: Kysely<Tables>; readonly changes: Changes }) {
    this.#db = db;
    this.#changes = changes;
  }

  async list(
    actor: Actor,
    { tenant_id: owner, action, subject: who, status, ...page }: BlockQuery,
  ): Promise<Page<Block>> {
    let query = this.#seenBy(actor);
    if (owner !== undefined) query = query.where(whereOwner(owner));
    if (action !== undefined) query = query.where('action', '=', action);
    if (who !== undefined) query = query.where('subject', '=', who);
    if (status !== undefined) query = query.where(whereLife[status]);
    const nowMs = Date.now();
    return readPage(query, {
      list: 'blocks',
      page,
      by: 'id',
      isKey: isUuid,
      toItem: (row) => blockOf(row, nowMs),
    });
  }

  async get(actor: Actor, id: string): Promise<Block> {
    const row = await this.#seenBy(actor)
      .where('id', '=', requireUuid('block', id))
      .executeTakeFirst();
    return blockOf(found('block', row));
  }

  /** To a tenant its own: whom the platform keeps out everywhere is not its business. */
  #seenBy({ tenantId }: Actor) {
    const query = this.#db.selectFrom('blocks').selectAll();
    return tenantId === null ? query : query.where('tenant_id', '=', tenantId);
  }

  async create(actor: Actor, input: BlockInput): Promise<Changed<Block>> {
    const { tenant_id: tenantId = null, action = 'block', reason } = input;
    requireBlocking(actor, { tenant_id: tenantId, action });
    const who = parseWho(input, action);
    const expiresAt = parseEnd(input) ?? null;
    const id = uuidv7();
    return this.#changes.make(actor, async (change) => {
      await touchOwner(change, tenantId, `create block ${id}`);
      await requireRoom(change.tx, { table: 'blocks', tenantId, ...roomFor });
      await requireKey(change.tx, who.key_id, tenantId);
      const row = await change.tx
        .insertInto('blocks')
        .values({
          id,
          tenant_id: tenantId,
          ...who,
          attribute: who.attribute && JSON.stringify(who.attribute),
          action,
          expires_at: expiresAt,
          reason,
          author: actor.id,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      const after = blockOf(row);
      await change.note({ ...subject(after), action: 'create', after });
      return after;
    });
  }

  async update(
    actor: Actor,
    id: string,
    patch: BlockPatch,
    expectedVersion: number | null,
  ): Promise<Changed<Block>> {
    const { tenant_id: tenantId } = await this.get(actor, id);
    const { action, reason } = patch;
    const end = parseEnd(patch);
    return this.#changes.make(actor, async (change) => {
      await change.touch(tenantId, `update block ${id}`);
      const before = await lockObject(change.tx, { ...collection, id, expectedVersion });
      requireBlocking(actor, before);
      requireBlocking(actor, { ...before, ...(action !== undefined && { action }) });
      const row = await change.tx
        .updateTable('blocks')
        .set({
          ...(action !== undefined && { action }),
          ...(reason !== undefined && { reason }),
          ...(end !== undefined && { expires_at: end }),
          ...nextVersion,
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      const after = blockOf(row);
      await change.note({ ...subject(after), action: 'update', before, after });
      return after;
    });
  }

  async remove(
    actor: Actor,
    id: string,
    expectedVersion: number | null,
  ): Promise<Changed<undefined>> {
    const { tenant_id: tenantId } = await this.get(actor, id);
    return removeOwned(this.#changes, actor, collection, {
      id,
      tenantId,
      expectedVersion,
      allow: (before) => requireBlocking(actor, before),
    });
  }
}

/** One that was made here; of the tenant, where it is a tenant's block. */
async function requireKey(
  tx: Transaction<Tables>,
  keyId: string | null,
  tenantId: string | null,
): Promise<void> {
  if (keyId === null) return;
  const query = tx.selectFrom('api_keys').select('tenant_id').where('id', '=', keyId);
  const row = isKeyId(keyId) ? await query.executeTakeFirst() : undefined;
  const { tenant_id: owner } = found('key', row);
  if (tenantId !== null && owner !== tenantId) throw new NotFound('key');
}

function subject({ id, tenant_id: tenantId }: Block) {
  return { noun: 'blocks', objectId: id, tenantId } as const;
}
