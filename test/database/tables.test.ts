import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { sharedSecret } from '../../platform/src/database/index.ts';
import { onEveryDatabase } from '../support/databases.ts';

const at = new Date('2026-02-28T23:59:59.123Z');
const large = Number.MAX_SAFE_INTEGER;

onEveryDatabase('database', (rig) => {
  describe('the tables', () => {
    test('keep tenants, plans, policies and keys as they were written', async () => {
      const { db } = rig.database;
      const planId = randomUUID();
      const tenantId = randomUUID();
      const limits = [{ name: 'burst', rate: { limit: 5, per: '1s' }, note: 'é"\\' }];

      await db
        .insertInto('plans')
        .values({ id: planId, tenant_id: null, name: planId, limits: JSON.stringify(limits) })
        .execute();
      await db
        .insertInto('tenants')
        .values({
          id: tenantId,
          name: 'Zoë; drop table tenants',
          tier: 'pro',
          plan_id: planId,
          status: 'active',
          timezone: 'Europe/Berlin',
          billing_anchor_day: 31,
          pool: null,
        })
        .execute();
      await db
        .insertInto('policies')
        .values({
          id: randomUUID(),
          tenant_id: tenantId,
          resource: 'POST:/search',
          cost: large,
          costs: JSON.stringify({ elements: 50 }),
          max_cost: null,
          limits: JSON.stringify([]),
          mode: 'shadow',
        })
        .execute();
      await db
        .insertInto('api_keys')
        .values({
          id: `key-${tenantId}`,
          tenant_id: tenantId,
          name: 'ci',
          salt: 's',
          key_hash: 'h',
          scopes: ['check', 'with "quotes", commas and {braces}', ''],
          expires_at: at,
          revoked_at: null,
          last_used_at: null,
        })
        .execute();

      expect(await readOne('plans')).toMatchObject({ limits, version: 1, tenant_id: null });
      expect(await readOne('tenants')).toMatchObject({
        id: tenantId,
        name: 'Zoë; drop table tenants',
        billing_anchor_day: 31,
        version: 1,
        created_at: expect.any(Date),
      });
      expect(await readOne('policies')).toMatchObject({
        cost: large,
        costs: { elements: 50 },
        limits: [],
        max_cost: null,
      });
      expect(await readOne('api_keys')).toMatchObject({
        scopes: ['check', 'with "quotes", commas and {braces}', ''],
        imported: false,
        expires_at: at,
        revoked_at: null,
      });
    });

    test('keep tokens, the audit log, publications and what was used', async () => {
      const { db } = rig.database;
      const tenantId = randomUUID();
      await db
        .insertInto('admin_tokens')
        .values({
          id: 'token',
          name: 'root',
          role: 'owner',
          tenant_id: null,
          salt: 's',
          token_hash: 'h',
          expires_at: null,
          revoked_at: null,
          last_used_at: at,
        })
        .execute();
      const after = { name: 'x', list: [1, null, 'two'] };
      await db
        .insertInto('audit_entries')
        .values({
          id: randomUUID(),
          actor: 'token',
          action: 'create',
          noun: 'tenant',
          object_id: tenantId,
          tenant_id: tenantId,
          request_id: null,
          before: null,
          after: JSON.stringify(after),
        })
        .execute();
      await db
        .insertInto('publications')
        .values({
          epoch: large,
          cause: 'plan',
          total: null,
          after_tenant_id: null,
          finished_at: at,
        })
        .execute();
      await db
        .insertInto('usage_counts')
        .values({
          tenant_id: tenantId,
          step: 'minute',
          at,
          resource: 'r',
          limit_name: 'l',
          outcome: 'allowed',
          count: large,
        })
        .execute();
      await db
        .insertInto('ledger_positions')
        .values({ tenant_id: tenantId, batch: large })
        .execute();

      expect(await readOne('admin_tokens')).toMatchObject({ role: 'owner', last_used_at: at });
      expect(await readOne('audit_entries')).toMatchObject({ before: null, after });
      expect(await readOne('publications')).toMatchObject({ epoch: large, done: 0, total: null });
      expect(await readOne('usage_counts')).toMatchObject({ at, count: large });
      expect(await readOne('ledger_positions')).toMatchObject({ batch: large });
    });

    test('name the tenants that were changed since a point in time', async () => {
      const { db } = rig.database;
      const horizon = await readHorizon();
      const tenantId = randomUUID();
      await db
        .insertInto('tenant_epochs')
        .values({ tenant_id: tenantId, epoch: 1, published_epoch: 0 })
        .execute();
      expect(await listChangedSince(horizon)).toContainEqual({ tenant_id: tenantId, epoch: 1 });

      // Whoever is in the middle of something, in any database of the server, holds the horizon back.
      let later = horizon;
      await expect
        .poll(async () => listChangedSince((later = await readHorizon())), { timeout: 30_000 })
        .toEqual([]);
      await db
        .updateTable('tenant_epochs')
        .set((eb) => ({
          epoch: eb('epoch', '+', 1),
          changed_in: sql`pg_current_xact_id()` as never,
        }))
        .where('tenant_id', '=', tenantId)
        .execute();
      expect(await listChangedSince(later)).toEqual([{ tenant_id: tenantId, epoch: 2 }]);
    });

    test('count in numbers, and refuse a number that would not be exact', async () => {
      const { db } = rig.database;
      const counted = await sql<{ n: number }>`select count(*) as n from settings`.execute(db);
      expect(counted.rows[0]?.n).toEqual(expect.any(Number));
      const tooLarge = sql`select 9007199254740993::bigint as n`.execute(db);
      await expect(tooLarge).rejects.toThrow('beyond what a number holds: 9007199254740993');
      await rig.database.ping();
    });

    test('cut days in UTC', async () => {
      const { rows } = await sql`select date_trunc('day', ${at}::timestamptz) as day`.execute(
        rig.database.db,
      );
      expect(rows).toEqual([{ day: new Date('2026-02-28T00:00:00Z') }]);
    });

    test('say by code what they refuse', async () => {
      const { db } = rig.database;
      const twice = { name: randomUUID(), value: 'v' };
      await db.insertInto('settings').values(twice).execute();
      await expect(db.insertInto('settings').values(twice).execute()).rejects.toMatchObject({
        code: '23505',
        constraint: 'settings_pkey',
      });
    });
  });

  describe('a transaction', () => {
    test('that fails leaves nothing, beside others that succeed', async () => {
      const { db } = rig.database;
      const outcomes = await Promise.allSettled(
        Array.from({ length: 10 }, (_, number) =>
          db.transaction().execute(async (trx) => {
            await trx
              .insertInto('settings')
              .values({ name: `n${number}`, value: 'v' })
              .execute();
            await trx.selectFrom('settings').selectAll().execute();
            if (number % 2 === 1) throw new Error('odd');
          }),
        ),
      );
      expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(5);
      const settings = db.selectFrom('settings').select('name').orderBy('name');
      const rows = await settings.where('name', 'like', 'n_').execute();
      expect(rows.map(({ name }) => name)).toEqual(['n0', 'n2', 'n4', 'n6', 'n8']);
    });

    test('is undone when its connection is dropped', async () => {
      const { db, pool } = rig.database;
      const client = await pool.connect();
      await client.query('begin');
      await client.query(`insert into settings values ('dropped', 'v')`);
      await client.query(`prepare mine as select 1`);
      await client.query(`select pg_advisory_lock(1)`);
      client.release(true);
      const rows = await db
        .selectFrom('settings')
        .selectAll()
        .where('name', '=', 'dropped')
        .execute();
      expect(rows).toEqual([]);
      const { rows: left } = await sql`select name from pg_prepared_statements`.execute(db);
      expect(left).toEqual([]);
      await expect
        .poll(async () => {
          const { rows: locks } = await sql`
          select 1 from pg_locks where locktype = 'advisory'
          and database = (select oid from pg_database where datname = current_database())
        `.execute(db);
          return locks;
        })
        .toEqual([]);
    });
  });

  describe('a restart', () => {
    test('keeps what was written, and secrets as they are', async () => {
      const secret = await sharedSecret(rig.database.db, 'key');
      await rig.database.db.insertInto('settings').values({ name: 'kept', value: 'v' }).execute();
      await rig.reopen();
      expect(await sharedSecret(rig.database.db, 'key')).toBe(secret);
      const kept = rig.database.db.selectFrom('settings').selectAll().where('name', '=', 'kept');
      expect(await kept.execute()).toEqual([{ name: 'kept', value: 'v' }]);
    });
  });

  describe('a shared secret', () => {
    test('is 256 random bits, the same for all who ask first at once', async () => {
      const { db } = rig.database;
      const secrets = await Promise.all(Array.from({ length: 8 }, () => sharedSecret(db, 'one')));
      expect(new Set(secrets).size).toBe(1);
      expect(Buffer.from(secrets[0] ?? '', 'base64url')).toHaveLength(32);
      expect(await sharedSecret(db, 'other')).not.toBe(secrets[0]);
    });
  });

  async function readOne(table: Parameters<typeof rig.database.db.selectFrom>[0] & string) {
    const { rows } = await sql`select * from ${sql.table(table)} limit 1`.execute(rig.database.db);
    return rows[0];
  }

  /** All transactions before it are over. */
  async function readHorizon(): Promise<string> {
    const { rows } = await sql<{
      horizon: string;
    }>`select pg_snapshot_xmin(pg_current_snapshot()) as horizon`.execute(rig.database.db);
    return rows[0]?.horizon ?? '';
  }

  function listChangedSince(horizon: string) {
    return rig.database.db
      .selectFrom('tenant_epochs')
      .select(['tenant_id', 'epoch'])
      .where('changed_in', '>=', sql<string>`${horizon}::xid8`)
      .execute();
  }
});
