import { hash } from 'node:crypto';
import type { Kysely, Selectable, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { AdminTokensTable, Tables } from '../../database/tables.ts';
import type { Actor, Role } from '../actor.ts';
import { statusOf } from '../api-keys/api-key.ts';
import { requireGrant, requireReach } from '../authorize.ts';
import type { Changed, Changes } from '../change.ts';
import { isMarked, isSame, mint, opens, parseCredential, seal } from '../credentials/credential.ts';
import { Conflict } from '../errors.ts';
import { type Page, type PageQuery, readPage } from '../page.ts';
import {
  found,
  nextVersion,
  parseExpiry,
  parseTenantId,
  requireUuid,
  requireVersion,
} from '../rows.ts';
import { type NewToken, type Token, type TokenInput, tokenOf, type TokenPatch } from './token.ts';

export type TokenQuery = PageQuery & { readonly tenant_id?: string; readonly role?: Role };

type Row = Selectable<AdminTokensTable>;

const liveMax = 1000;
const bootstrapId = 'bootstrap';

/** What administrators authenticate with. Of no concern to checks, so no epoch is raised. */
export class Tokens {
  readonly #db: Kysely<Tables>;
  readonly #changes: Changes;
  readonly #markSecret: string;
  readonly #bootstrapHash: string | null;

  constructor({
    db,
    changes,
    markSecret,
    bootstrap,
  }: {
    readonly db: Kysely<Tables>;
    readonly changes: Changes;
    readonly markSecret: string;
    /** The token of the configuration: an owner that no database knows. */
    readonly bootstrap: string | null;
  }) {
    this.#db = db;
    this.#changes = changes;
    this.#markSecret = markSecret;
    this.#bootstrapHash = bootstrap === null ? null : digestOf(bootstrap);
  }

  /** Null for whatever is not a live token, without a word about why. */
  async authenticate(text: string, requestId: string | null): Promise<Actor | null> {
    if (this.#bootstrapHash !== null && isSame(digestOf(text), this.#bootstrapHash)) {
      return { id: bootstrapId, role: 'owner', tenantId: null, requestId };
    }
    const credential = parseCredential('token', text);
    if (!credential || !isMarked(credential.id, this.#markSecret)) return null;
    const row = await this.#db
      .selectFrom('admin_tokens')
      .selectAll()
      .where('id', '=', credential.id)
      .executeTakeFirst();
    if (!row || !opens(credential.secret, { salt: row.salt, hash: row.token_hash })) return null;
    if (statusOf(row, Date.now()) !== 'active') return null;
    await this.#noteUse(row);
    return { id: row.id, role: row.role, tenantId: row.tenant_id, requestId };
  }

  /** Coarsely: who asks all the time is noted once a minute. Never a reason to refuse. */
  async #noteUse({ id, last_used_at: lastUsedAt }: Row): Promise<void> {
    if (lastUsedAt !== null && lastUsedAt.getTime() > Date.now() - 60_000) return;
    await this.#db
      .updateTable('admin_tokens')
      .set({ last_used_at: sql<Date>`now()` })
      .where('id', '=', id)
      .execute()
      .catch(() => {});
  }

  async list(
    actor: Actor,
    { tenant_id: tenantId, role, ...page }: TokenQuery,
  ): Promise<Page<Token>> {
    let query = this.#db.selectFrom('admin_tokens').selectAll();
    if (actor.tenantId !== null) query = query.where('tenant_id', '=', actor.tenantId);
    if (tenantId !== undefined) query = query.where('tenant_id', '=', parseTenantId(tenantId));
    if (role !== undefined) query = query.where('role', '=', role);
    const nowMs = Date.now();
    const toItem = (row: Row) => tokenOf(row, nowMs);
    return readPage(query, { list: 'tokens', page, by: 'id', isKey: isTokenId, toItem });
  }

  async get(actor: Actor, id: string): Promise<Token> {
    return tokenOf(await this.#find(actor, id), Date.now());
  }

  /** What the one who asks may know of the own token, whatever its role. */
  async describe(actor: Actor): Promise<Pick<Token, 'name' | 'expires_at'>> {
    if (actor.id === bootstrapId) return { name: bootstrapId, expires_at: null };
    return this.get(actor, actor.id);
  }

  async #find(actor: Actor, id: string): Promise<Row> {
    const query = this.#db.selectFrom('admin_tokens').selectAll().where('id', '=', id);
    const row = found('token', isTokenId(id) ? await query.executeTakeFirst() : undefined);
    requireReach(actor, 'token', row.tenant_id);
    return row;
  }

  async create(
    actor: Actor,
    { name, role, tenant_id: tenantId = null, expires_at: expiry }: TokenInput,
  ): Promise<Changed<NewToken>> {
    requireGrant(actor, { role, tenantId });
    const expiresAt = parseExpiry(expiry);
    const minted = mint('token', this.#markSecret);
    const { salt, hash: tokenHash } = seal(minted.secret);
    return this.#changes.make(actor, async (change) => {
      if (tenantId !== null) await keepTenant(change.tx, tenantId);
      await requireRoom(change.tx, tenantId);
      const row = await change.tx
        .insertInto('admin_tokens')
        .values({
          id: minted.id,
          name,
          role,
          tenant_id: tenantId,
          salt,
          token_hash: tokenHash,
          expires_at: expiresAt,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      const after = tokenOf(row, Date.now());
      await change.note({ ...subject(after), action: 'create', after });
      return { ...after, token: minted.text };
    });
  }

  async update(
    actor: Actor,
    id: string,
    { name, expires_at: expiry }: TokenPatch,
    expectedVersion: number | null,
  ): Promise<Changed<Token>> {
    await this.#find(actor, id);
    const values = {
      ...(name !== undefined && { name }),
      ...(expiry !== undefined && { expires_at: parseExpiry(expiry) }),
    };
    return this.#changes.make(actor, async (change) => {
      const row = await lockToken(change.tx, id);
      requireVersion('token', row, expectedVersion);
      if (row.revoked_at !== null) throw new Conflict('this token is revoked, which is final');
      const before = tokenOf(row, Date.now());
      const after = tokenOf(await writeToken(change.tx, id, values), Date.now());
      await change.note({ ...subject(after), action: 'update', before, after });
      return after;
    });
  }

  /** Again and again with the same result, noted once. */
  async revoke(actor: Actor, id: string, expectedVersion: number | null): Promise<Changed<Token>> {
    await this.#find(actor, id);
    return this.#changes.make(actor, async (change) => {
      const row = await lockToken(change.tx, id);
      const before = tokenOf(row, Date.now());
      if (row.revoked_at !== null) return before;
      requireVersion('token', row, expectedVersion);
      const revoked = await writeToken(change.tx, id, { revoked_at: new Date() });
      const after = tokenOf(revoked, Date.now());
      await change.note({ ...subject(after), action: 'revoke', before, after });
      return after;
    });
  }
}

/** Of one length whatever the text, so that comparing takes the same time. */
function digestOf(text: string): string {
  return hash('sha256', text, 'hex');
}

function isTokenId(text: string): boolean {
  return /^\w{1,64}$/.test(text);
}

/** No touch keeps it here: the row itself is held until the transaction ends. */
async function keepTenant(tx: Transaction<Tables>, tenantId: string): Promise<void> {
  const query = tx.selectFrom('tenants').select('id').where('id', '=', tenantId).forKeyShare();
  requireUuid('tenant', tenantId);
  found('tenant', await query.executeTakeFirst());
}

async function lockToken(tx: Transaction<Tables>, id: string): Promise<Row> {
  const query = tx.selectFrom('admin_tokens').selectAll().where('id', '=', id).forUpdate();
  return found('token', await query.executeTakeFirst());
}

async function writeToken(
  tx: Transaction<Tables>,
  id: string,
  values: Partial<Pick<Row, 'name' | 'expires_at' | 'revoked_at'>>,
): Promise<Row> {
  return tx
    .updateTable('admin_tokens')
    .set({ ...values, ...nextVersion })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Against a flood, not exact: two that are made at once may both be the last. */
async function requireRoom(tx: Transaction<Tables>, tenantId: string | null): Promise<void> {
  const { count } = await tx
    .selectFrom('admin_tokens')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenant_id', tenantId === null ? 'is' : '=', tenantId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (count >= liveMax) throw new Conflict(`there are ${liveMax} tokens already; revoke one first`);
}

function subject({ id, tenant_id: tenantId }: Token) {
  return { noun: 'tokens', objectId: id, tenantId } as const;
}
