import type { Kysely, Selectable, Transaction } from 'kysely';
import { sql } from 'kysely';
import { InvalidInput } from 'sluice';
import type { ApiKeysTable, Tables } from '../../database/tables.ts';
import type { Actor } from '../actor.ts';
import { requireReach, requireScopes } from '../authorize.ts';
import type { Change, Changed, Changes } from '../change.ts';
import { isMarked, mint, type Minted, parseCredential, seal } from '../credentials/credential.ts';
import { Conflict } from '../errors.ts';
import { touchOwner } from '../owned.ts';
import { type Page, type PageQuery, readPage } from '../page.ts';
import { found, nextVersion, parseExpiry, parseTenantId, requireVersion } from '../rows.ts';
import {
  type ApiKey,
  type ApiKeyInput,
  apiKeyOf,
  type ApiKeyPatch,
  isKeyId,
  keyScopesDefault,
  type KeyStatus,
  type NewApiKey,
  type RotatedApiKey,
  statusOf,
} from './api-key.ts';

export type ApiKeyQuery = PageQuery & { readonly tenant_id?: string; readonly status?: KeyStatus };

type Row = Selectable<ApiKeysTable>;

const liveMax = 1000;
export const overlapSecondsDefault = 86_400;
export const overlapSecondsMax = 30 * 86_400;

/** What callers authenticate with. A key is revoked, never deleted: who used it can be told later. */
export class ApiKeys {
  readonly #db: Kysely<Tables>;
  readonly #changes: Changes;
  readonly #markSecret: string;

  constructor({
    db,
    changes,
    markSecret,
  }: {
    readonly db: Kysely<Tables>;
    readonly changes: Changes;
    /** Shared by all nodes: what ids of our making are known by. */
    readonly markSecret: string;
  }) {
    this.#db = db;
    this.#changes = changes;
    this.#markSecret = markSecret;
  }

  async list(
    actor: Actor,
    { tenant_id: tenantId, status, ...page }: ApiKeyQuery,
  ): Promise<Page<ApiKey>> {
    let query = this.#db.selectFrom('api_keys').selectAll();
    if (actor.tenantId !== null) query = query.where('tenant_id', '=', actor.tenantId);
    if (tenantId !== undefined) query = query.where('tenant_id', '=', parseTenantId(tenantId));
    if (status !== undefined) query = query.where(whereStatus[status]);
    const nowMs = Date.now();
    const toItem = (row: Row) => apiKeyOf(row, nowMs);
    return readPage(query, { list: 'keys', page, by: 'id', isKey: isKeyId, toItem });
  }

  async get(actor: Actor, id: string): Promise<ApiKey> {
    return apiKeyOf(await this.#find(actor, id), Date.now());
  }

  async #find(actor: Actor, id: string): Promise<Row> {
    const query = this.#db.selectFrom('api_keys').selectAll().where('id', '=', id);
    const row = found('key', isKeyId(id) ? await query.executeTakeFirst() : undefined);
    requireReach(actor, 'key', row.tenant_id);
    return row;
  }

  create(actor: Actor, input: ApiKeyInput): Promise<Changed<NewApiKey>> {
    return this.#add(actor, input, mint('key', this.#markSecret));
  }

  /** A key that was made elsewhere, in our format: so that a configuration can name one. */
  async import(actor: Actor, input: ApiKeyInput, text: string): Promise<Changed<NewApiKey>> {
    const credential = parseCredential('key', text);
    if (!credential) throw new InvalidInput('key', 'is not in the format of a key, or mistyped');
    return this.#add(actor, input, { ...credential, text });
  }

  async #add(actor: Actor, input: ApiKeyInput, minted: Minted): Promise<Changed<NewApiKey>> {
    const { tenant_id: tenantId, name, scopes = keyScopesDefault, expires_at: expiry } = input;
    requireReach(actor, 'tenant', tenantId);
    requireScopes(actor, scopes);
    const expiresAt = parseExpiry(expiry);
    return this.#changes.make(actor, async (change) => {
      await touchOwner(change, tenantId, `create key ${minted.id}`);
      await requireRoom(change.tx, tenantId);
      await requireFreeId(change.tx, minted.id);
      const values = { tenantId, name, scopes, expiresAt };
      const made = await this.#insert(change, minted, values);
      const { key: _, key_hash: __, ...after } = made;
      await change.note({ ...subject(after), action: 'create', after });
      return made;
    });
  }

  async #insert(
    change: Change,
    minted: Minted,
    values: {
      readonly tenantId: string;
      readonly name: string;
      readonly scopes: readonly string[];
      readonly expiresAt: Date | null;
    },
  ): Promise<NewApiKey> {
    const { salt, hash } = seal(minted.secret);
    const row = await change.tx
      .insertInto('api_keys')
      .values({
        id: minted.id,
        tenant_id: values.tenantId,
        name: values.name,
        salt,
        key_hash: hash,
        scopes: [...values.scopes],
        imported: !isMarked(minted.id, this.#markSecret),
        expires_at: values.expiresAt,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return { ...apiKeyOf(row, Date.now()), key: minted.text, key_hash: hash };
  }

  async update(
    actor: Actor,
    id: string,
    { name, scopes, expires_at: expiry }: ApiKeyPatch,
    expectedVersion: number | null,
  ): Promise<Changed<ApiKey>> {
    const { tenant_id: tenantId } = await this.#find(actor, id);
    requireScopes(actor, scopes ?? []);
    const values = {
      ...(name !== undefined && { name }),
      ...(scopes !== undefined && { scopes: [...scopes] }),
      ...(expiry !== undefined && { expires_at: parseExpiry(expiry) }),
    };
    return this.#changes.make(actor, async (change) => {
      await change.touchTenant(tenantId);
      const row = await lockKey(change.tx, id);
      requireVersion('key', row, expectedVersion);
      if (row.revoked_at !== null) throw new Conflict('this key is revoked, which is final');
      const before = apiKeyOf(row, Date.now());
      const after = apiKeyOf(await writeKey(change.tx, id, values), Date.now());
      await change.note({ ...subject(after), action: 'update', before, after });
      return after;
    });
  }

  /** A second key with the same rights; the first one works for a while longer. */
  async rotate(
    actor: Actor,
    id: string,
    {
      overlapSeconds = overlapSecondsDefault,
      expectedVersion,
    }: { readonly overlapSeconds?: number; readonly expectedVersion: number | null },
  ): Promise<Changed<RotatedApiKey>> {
    const { tenant_id: tenantId } = await this.#find(actor, id);
    return this.#changes.make(actor, async (change) => {
      await change.touchTenant(tenantId);
      const row = await lockKey(change.tx, id);
      requireVersion('key', row, expectedVersion);
      const nowMs = Date.now();
      const status = statusOf(row, nowMs);
      if (status !== 'active') throw new Conflict(`this key is ${status}; make a new one instead`);
      requireScopes(actor, row.scopes);
      await requireRoom(change.tx, tenantId);
      const endMs = Math.min(row.expires_at?.getTime() ?? Infinity, nowMs + overlapSeconds * 1000);
      const old = await writeKey(change.tx, id, { expires_at: new Date(endMs) });
      const { name, scopes, expires_at: expiresAt } = row;
      const made = await this.#insert(change, mint('key', this.#markSecret), {
        tenantId,
        name,
        scopes,
        expiresAt,
      });
      const { key: _, key_hash: __, ...after } = made;
      const replaces = { id, expires_at: new Date(endMs).toISOString() };
      await change.note({
        ...subject(apiKeyOf(old, nowMs)),
        action: 'rotate',
        before: apiKeyOf(row, nowMs),
        after: { ...after, replaces },
      });
      return { ...made, replaces };
    });
  }

  /**
   * Again and again with the same result, for who asks again may not have heard the answer: it is
   * published anew, and noted once.
   */
  async revoke(actor: Actor, id: string, expectedVersion: number | null): Promise<Changed<ApiKey>> {
    const { tenant_id: tenantId } = await this.#find(actor, id);
    return this.#changes.make(actor, async (change) => {
      await change.touchTenant(tenantId);
      const row = await lockKey(change.tx, id);
      const before = apiKeyOf(row, Date.now());
      if (row.revoked_at !== null) return before;
      requireVersion('key', row, expectedVersion);
      const revoked = await writeKey(change.tx, id, { revoked_at: new Date() });
      const after = apiKeyOf(revoked, Date.now());
      await change.note({ ...subject(after), action: 'revoke', before, after });
      return after;
    });
  }
}

const isLive = sql<boolean>`revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`;

const whereStatus = {
  active: isLive,
  expired: sql<boolean>`revoked_at IS NULL AND expires_at <= now()`,
  revoked: sql<boolean>`revoked_at IS NOT NULL`,
} as const satisfies Record<KeyStatus, unknown>;

async function lockKey(tx: Transaction<Tables>, id: string): Promise<Row> {
  const query = tx.selectFrom('api_keys').selectAll().where('id', '=', id).forUpdate();
  return found('key', await query.executeTakeFirst());
}

async function writeKey(
  tx: Transaction<Tables>,
  id: string,
  values: Partial<Pick<Row, 'name' | 'scopes' | 'expires_at' | 'revoked_at'>>,
): Promise<Row> {
  return tx
    .updateTable('api_keys')
    .set({ ...values, ...nextVersion })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** After the touch: keys of one tenant are made one after another. */
async function requireRoom(tx: Transaction<Tables>, tenantId: string): Promise<void> {
  const { count } = await tx
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where(isLive)
    .executeTakeFirstOrThrow();
  if (count < liveMax) return;
  throw new Conflict(`this tenant has ${liveMax} live keys already; revoke one first`);
}

async function requireFreeId(tx: Transaction<Tables>, id: string): Promise<void> {
  const query = tx.selectFrom('api_keys').select('id').where('id', '=', id);
  if (await query.executeTakeFirst()) throw new Conflict('key: there is one with this id', 'key');
}

function subject({ id, tenant_id: tenantId }: ApiKey) {
  return { noun: 'keys', objectId: id, tenantId } as const;
}
