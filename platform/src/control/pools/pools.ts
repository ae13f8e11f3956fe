import { type Kysely, sql, type Transaction } from 'kysely';
import { InvalidInput } from 'sluice';
import { uuidv7 } from 'uuidv7';
import type { Tables } from '../../database/tables.ts';
import type { Actor } from '../actor.ts';
import { requirePlatform } from '../authorize.ts';
import type { Change, Changed, Changes } from '../change.ts';
import { Conflict } from '../errors.ts';
import { type Page, type PageQuery, readPage } from '../page.ts';
import { found, isUuid, nextVersion, requireUuid, requireVersion } from '../rows.ts';
import { holdPools, moveTenants, poolOfTenant } from './places.ts';
import {
  connectionsDefault,
  defaultPool,
  type NewPool,
  type Pool,
  poolOf,
  type PoolPatch,
  type PoolRow,
  type RedisAddresses,
  type Seal,
} from './pool.ts';

export type PoolsParts = {
  readonly db: Kysely<Tables>;
  readonly changes: Changes;
  readonly addresses: RedisAddresses;
  readonly seal: Seal;
  /** Whether there is a Redis that all share: else there is nothing that a pool could be beside. */
  readonly hasRedis: boolean;
  /** What makes the Redis at an address unsafe to count in, in words; nothing while it can't be asked. */
  readonly faultsOf: (redisUrl: string) => Promise<readonly string[]>;
};

const poolsMax = 200;

/** By whose connections tenants are counted, and in which Redis. Of the platform: no tenant sees them. */
export class Pools {
  readonly #parts: PoolsParts;

  constructor(parts: PoolsParts) {
    this.#parts = parts;
  }

  async list(
    actor: Actor,
    { name, ...page }: PageQuery & { readonly name?: string },
  ): Promise<Page<Pool>> {
    requirePlatform(actor, 'see pools');
    let query = this.#parts.db.selectFrom('pools').selectAll();
    if (name !== undefined) query = query.where('name', '=', name);
    const toItem = (row: PoolRow) => this.#shown(row);
    return readPage(query, { list: 'pools', page, by: 'id', isKey: isUuid, toItem });
  }

  async get(actor: Actor, id: string): Promise<Pool> {
    requirePlatform(actor, 'see pools');
    const query = this.#parts.db.selectFrom('pools').selectAll();
    const row = await query.where('id', '=', requireUuid('pool', id)).executeTakeFirst();
    return this.#shown(found('pool', row));
  }

  async create(actor: Actor, { name, ...input }: NewPool): Promise<Changed<Pool>> {
    requirePlatform(actor, 'make pools');
    const id = uuidv7();
    const { redis_url: url = null, connections = connectionsDefault } = input;
    await this.#requireAddress(name, url);
    return this.#changed(actor, `create pool ${id}`, async (change) => {
      const { tx } = change;
      await requireRoom(tx);
      await requireFree(tx, { id, name, tiers: input.tiers ?? [] });
      const row = await tx
        .insertInto('pools')
        .values({
          id,
          name,
          redis_url: this.#sealed(url),
          connections,
          max_in_flight: input.max_in_flight ?? null,
          tiers: [...(input.tiers ?? [])],
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await moveTenants(change, sql<boolean>`t.pool IS NULL AND t.tier = ANY (${row.tiers})`);
      const after = this.#shown(row);
      await change.note({ ...subject(id), action: 'create', after });
      return after;
    });
  }

  async update(
    actor: Actor,
    id: string,
    patch: PoolPatch,
    expectedVersion: number | null,
  ): Promise<Changed<Pool>> {
    requirePlatform(actor, 'change pools');
    const { name } = await this.get(actor, id);
    if (patch.redis_url !== undefined) await this.#requireAddress(name, patch.redis_url);
    return this.#changed(actor, `update pool ${id}`, async (change) => {
      const { tx } = change;
      const row = await lockPool(tx, id, expectedVersion);
      if (patch.redis_url !== undefined) await this.#requireSamePlace(tx, row, patch.redis_url);
      if (patch.tiers) await requireFree(tx, { id, name, tiers: patch.tiers });
      const { redis_url: url, tiers, ...numbers } = patch;
      const changed = await tx
        .updateTable('pools')
        .set({
          ...numbers,
          ...(url !== undefined && { redis_url: this.#sealed(url) }),
          ...(tiers && { tiers: [...tiers] }),
          ...nextVersion,
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      const concerned = [...new Set([...row.tiers, ...changed.tiers])];
      await moveTenants(change, sql<boolean>`(t.pool = ${name} OR t.tier = ANY (${concerned}))`);
      const [before, after] = [this.#shown(row), this.#shown(changed)];
      await change.note({ ...subject(id), action: 'update', before, after });
      return after;
    });
  }

  async remove(
    actor: Actor,
    id: string,
    expectedVersion: number | null,
  ): Promise<Changed<undefined>> {
    requirePlatform(actor, 'delete pools');
    await this.get(actor, id);
    return this.#changed(actor, `delete pool ${id}`, async (change) => {
      const { tx } = change;
      const row = await lockPool(tx, id, expectedVersion);
      if (row.name === defaultPool) {
        throw new Conflict(`the pool ${defaultPool} is for all whom no other is for, and stays`);
      }
      await requireUnused(tx, row);
      // Those that were deleted are kept to say so, and no longer counted anywhere.
      await sql`UPDATE tenant_epochs SET place = NULL WHERE place = ${id} AND deleted`.execute(tx);
      await tx.deleteFrom('pools').where('id', '=', id).execute();
      await change.note({ ...subject(id), action: 'delete', before: this.#shown(row) });
      return undefined;
    });
  }

  /** Every node must hear of it, and of each tenant that moves. */
  #changed<T>(actor: Actor, cause: string, work: (change: Change) => Promise<T>) {
    return this.#parts.changes.make(actor, async (change) => {
      await holdPools(change.tx, { exclusive: true });
      await change.touch(null, cause);
      return work(change);
    });
  }

  /** Before anything is locked: who is asked there may take a while to answer. */
  async #requireAddress(name: string, url: string | null): Promise<void> {
    if (url === null) return;
    if (name === defaultPool) {
      throw new InvalidInput('redis_url', `is not for the pool ${defaultPool}: make another`);
    }
    if (!this.#parts.hasRedis) {
      throw new InvalidInput(
        'redis_url',
        'needs a Redis that all share, for limits that count all tenants together; set SLUICE_REDIS_URL',
      );
    }
    this.#parts.addresses.servers(url);
    const faults = await this.#parts.faultsOf(url);
    if (faults.length === 0) return;
    throw new InvalidInput(
      'redis_url',
      `is not safe to count in (SLUICE_REDIS_UNSAFE=on on every node takes it all the same). ${faults.join('. ')}`,
    );
  }

  /**
   * Who is counted in a Redis stays there: where the pool leads to can change only while nobody is.
   * What is read from the address is not quoted, for the password is in it.
   */
  async #requireSamePlace(
    tx: Transaction<Tables>,
    row: PoolRow,
    url: string | null,
  ): Promise<void> {
    const before = this.#opened(row);
    if (before === null) return;
    const { addresses } = this.#parts;
    if (url !== null && addresses.servers(url) === addresses.servers(before)) return;
    const { rows } = await sql<{ counted: number }>`
      SELECT (SELECT count(*) FROM tenant_epochs WHERE place = ${row.id} AND NOT deleted)
        + (SELECT count(*) FROM tenant_moves WHERE place = ${row.id}) AS counted`.execute(tx);
    if ((rows[0]?.counted ?? 0) === 0) return;
    throw new Conflict(
      'tenants are counted in the Redis of this pool, or were until a moment ago; make a pool with the new address and move them there',
      'redis_url',
    );
  }

  #shown(row: PoolRow): Pool {
    const url = this.#opened(row);
    return poolOf(row, url === null ? null : this.#parts.addresses.shown(url));
  }

  #opened({ redis_url: sealed }: PoolRow): string | null {
    return sealed === null ? null : this.#parts.seal.open(sealed);
  }

  #sealed(url: string | null): string | null {
    return url === null ? null : this.#parts.seal.close(url);
  }
}

async function requireRoom(tx: Transaction<Tables>): Promise<void> {
  const query = tx.selectFrom('pools').select(({ fn }) => fn.countAll<number>().as('count'));
  const { count } = await query.executeTakeFirstOrThrow();
  if (count < poolsMax) return;
  throw new Conflict(`there are ${poolsMax} pools already, and there is no room for more`);
}

/** Names are of one pool, and so are tiers. */
async function requireFree(
  tx: Transaction<Tables>,
  {
    id,
    name,
    tiers,
  }: { readonly id: string; readonly name: string; readonly tiers: readonly string[] },
): Promise<void> {
  const others = await tx
    .selectFrom('pools')
    .select(['name', 'tiers'])
    .where('id', '!=', id)
    .execute();
  if (others.some((other) => other.name === name)) {
    throw new Conflict(`name: another pool is called ${name}`, 'name');
  }
  for (const tier of tiers) {
    const other = others.find((one) => one.tiers.includes(tier));
    if (other) throw new Conflict(`tiers: ${tier} is a tier of the pool ${other.name}`, 'tiers');
  }
}

async function requireUnused(tx: Transaction<Tables>, { id, name }: PoolRow): Promise<void> {
  const { rows } = await sql<{ users: number; leaving: number }>`
    SELECT (SELECT count(*) FROM tenants t WHERE ${poolOfTenant} = ${name}) AS users,
      (SELECT count(*) FROM tenant_moves WHERE place = ${id}) AS leaving`.execute(tx);
  const { users = 0, leaving = 0 } = rows[0] ?? {};
  if (users > 0) {
    const who = users === 1 ? '1 tenant is' : `${users} tenants are`;
    throw new Conflict(`${who} in this pool; move them to another one first`);
  }
  if (leaving > 0) {
    const whose = leaving === 1 ? '1 tenant' : `${leaving} tenants`;
    throw new Conflict(
      `usage of ${whose} is still being collected from its Redis; try again in a minute or two`,
    );
  }
}

async function lockPool(
  tx: Transaction<Tables>,
  id: string,
  expectedVersion: number | null,
): Promise<PoolRow> {
  const query = tx.selectFrom('pools').selectAll().where('id', '=', id).forUpdate();
  const row = found('pool', await query.executeTakeFirst());
  requireVersion('pool', row, expectedVersion);
  return row;
}

function subject(id: string) {
  return { noun: 'pools', objectId: id, tenantId: null } as const;
}
