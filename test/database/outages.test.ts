import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { type Database, isUnavailable, openDatabase } from '../../platform/src/database/index.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres.ts';
import { FaultProxy } from '../support/fault-proxy.ts';

describe('a PostgreSQL that stops', () => {
  let server: PostgresServer;
  let database: Database;
  const lost: Error[] = [];

  beforeAll(async () => {
    server = await startPostgres();
  });

  afterAll(() => server.stop());

  beforeEach(async () => {
    lost.length = 0;
    database = await openDatabase({ url: server.url, onLost: (error) => lost.push(error) });
  });

  afterEach(async () => {
    await database.close();
  });

  test('is unavailable while it is away, and is used again when it is back', async () => {
    await Promise.all(Array.from({ length: 4 }, () => database.ping()));
    await server.halt();
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(isUnavailable(await failureOf(database.ping()))).toBe(true);
    }
    await expect.poll(() => database.pool.totalCount).toBe(0);
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.every((error) => isUnavailable(error))).toBe(true);
    await server.resume();
    await database.ping();
  });

  test('fails what is under way as unavailable', async () => {
    const { db, pool } = database;
    const query = failureOf(sql`select pg_sleep(4)`.execute(db));
    const transaction = failureOf(
      db.transaction().execute(async (trx) => {
        await sql`select 1`.execute(trx);
        await query;
        await sql`select 2`.execute(trx);
      }),
    );
    await expect.poll(() => pool.totalCount - pool.idleCount).toBe(2);
    await server.halt();
    expect(isUnavailable(await query)).toBe(true);
    expect(isUnavailable(await transaction)).toBe(true);
    await server.resume();
    await database.ping();
  });
});

describe('a PostgreSQL', () => {
  let proxy: FaultProxy;
  let database: Database;

  beforeEach(async () => {
    const url = new URL(inject('postgresUrl'));
    proxy = await FaultProxy.start(Number(url.port));
    url.port = String(proxy.port);
    database = await openDatabase({ url: url.href, poolSize: 2, statementTimeoutMs: 200 });
  });

  afterEach(async () => {
    await database.close();
    await proxy.stop();
  });

  test('that says nothing any more is given up on, with its connections', async () => {
    await database.ping();
    proxy.fault = { kind: 'swallow' };
    const { db } = database;
    expect(isUnavailable(await failureOf(database.ping()))).toBe(true);
    const transaction = db.transaction().execute((trx) => sql`select 1`.execute(trx));
    expect(isUnavailable(await failureOf(transaction))).toBe(true);
    proxy.fault = { kind: 'pass' };
    await Promise.all([database.ping(), database.ping(), database.ping()]);
  });

  test('that takes too long over a statement is unavailable, and its connection is kept', async () => {
    const backend = () => sql`select pg_backend_pid() as pid`.execute(database.db);
    const { rows } = await backend();
    const error = await failureOf(sql`select pg_sleep(3)`.execute(database.db));
    expect(error).toMatchObject({ code: '57014' });
    expect(isUnavailable(error)).toBe(true);
    expect((await backend()).rows).toEqual(rows);
  });

  test('whose pool is used up makes others wait, and then says so', async () => {
    const { pool } = database;
    const clients = await Promise.all([pool.connect(), pool.connect()]);
    expect(isUnavailable(await failureOf(database.ping()))).toBe(true);
    for (const client of clients) client.release();
    await database.ping();
  });
});

test('a URL that is none is refused without being repeated', async () => {
  for (const url of ['mysql://root:secret@host/db', 'secret', 'postgres//u:secret@h/d']) {
    const error = await failureOf(openDatabase({ url }));
    expect(String(error)).toContain('url must be a PostgreSQL URL');
    expect(String(error)).not.toContain('secret');
  }
});

test('queries are told to who listens, with the time they took', async () => {
  const told: string[] = [];
  const database = await openDatabase({
    url: inject('postgresUrl'),
    onQuery: ({ level, query, queryDurationMillis }) => {
      if (queryDurationMillis >= 0) told.push(`${level}: ${query.sql}`);
    },
  });
  await database.ping();
  await failureOf(sql`select * from nothing`.execute(database.db));
  await database.close();
  expect(told).toEqual(['query: select 1', 'error: select * from nothing']);
});

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}
