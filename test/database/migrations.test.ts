import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrations } from '../../platform/migrations/index.ts';
import {
  type Database,
  isUnavailable,
  migrate,
  openDatabase,
} from '../../platform/src/database/index.ts';
import { findFreePort } from '../servers/free-port.ts';
import { type DatabasePlace, databaseKinds, makePlace } from '../support/databases.ts';

const names = Object.keys(migrations);
const starters = 8;

describe.each(databaseKinds)('migrations (%s)', (kind) => {
  let place: DatabasePlace | undefined;
  const open: Database[] = [];

  async function start(settings = {}): Promise<Database> {
    const database = await openDatabase({ ...(place as DatabasePlace).options, ...settings });
    open.push(database);
    return database;
  }

  beforeEach(async () => {
    place = await makePlace(kind);
  });

  afterEach(async () => {
    await Promise.all(open.splice(0).map((database) => database.close()));
    await place?.remove();
  });

  test('make all tables from nothing, and do nothing the next time', async () => {
    const database = await start();
    expect(await migrate(database)).toEqual(names);
    expect(await migrate(database)).toEqual([]);
    const { rows } = await sql`select epoch, published_epoch from shared_epoch`.execute(
      database.db,
    );
    expect(rows).toEqual([{ epoch: 1, published_epoch: 1 }]);
  });

  test('of the previous version are completed, and what was written before stays', async () => {
    const database = await start();
    const [first = '', ...later] = names;
    expect(await migrate(database, only(first))).toEqual([first]);
    await database.db.insertInto('settings').values({ name: 'old', value: 'v' }).execute();
    expect(await migrate(database)).toEqual(later);
    expect(await database.db.selectFrom('settings').selectAll().execute()).toEqual([
      { name: 'old', value: 'v' },
    ]);
    expect(await database.db.selectFrom('usage_counts').selectAll().execute()).toEqual([]);
  });

  test('carry usage over, and its sums by the hour and the day', async () => {
    const database = await start();
    const until = names.indexOf('0004-usage-steps');
    await migrate(database, only(...names.slice(0, until)));
    const tenantId = '00000000-0000-4000-8000-000000000001';
    const rows = [
      ['2026-02-28T23:58:00Z', '', 'allowed', 1],
      ['2026-02-28T23:59:00Z', '', 'allowed', 2],
      ['2026-02-28T23:59:00Z', '', 'blocked', 4],
      ['2026-03-01T00:00:00Z', '', 'warned', 8],
      ['2026-02-28T23:59:00Z', 'm', 'allowed', 16],
      ['2026-02-28T23:59:00Z', 'm', 'warned', 32],
      // Of every limit that applied: who refused was not known.
      ['2026-02-28T23:59:00Z', 'm', 'blocked', 64],
    ] as const;
    for (const [minute, limit, outcome, count] of rows) {
      await sql`INSERT INTO usage_minutes VALUES
        (${tenantId}, ${minute}, 'r', ${limit}, ${outcome}, ${count})`.execute(database.db);
    }
    await migrate(database);
    const { rows: kept } = await sql<{ line: string }>`
      SELECT concat_ws(' ', step, to_char(at, 'MM-DD HH24:MI'), resource, limit_name, outcome, count)
        AS line
      FROM usage_counts ORDER BY step, at, limit_name, outcome`.execute(database.db);
    expect(kept.map(({ line }) => line)).toEqual([
      'day 02-28 00:00 r  allowed 3',
      'day 02-28 00:00 r  blocked 4',
      'day 02-28 00:00 r m allowed 48',
      'day 03-01 00:00 r  warned 8',
      'hour 02-28 23:00 r  allowed 3',
      'hour 02-28 23:00 r  blocked 4',
      'hour 02-28 23:00 r m allowed 48',
      'hour 03-01 00:00 r  warned 8',
      'minute 02-28 23:58 r  allowed 1',
      'minute 02-28 23:59 r  allowed 2',
      'minute 02-28 23:59 r  blocked 4',
      'minute 02-28 23:59 r m allowed 48',
      'minute 03-01 00:00 r  warned 8',
    ]);
  });

  test('that fail change nothing, and say which of them and why', async () => {
    const database = await start();
    const broken = {
      '0001-good': { up: run('create table good (id integer)') },
      '0002-bad': { up: run('create table half (id integer)', 'create table half (id integer)') },
    };
    await expect(migrate(database, broken)).rejects.toThrow(
      'Migration 0002-bad failed, and nothing was changed: relation "half" already exists',
    );
    const { rows } = await sql`
      select tablename from pg_tables where tablename in ('good', 'half')
    `.execute(database.db);
    expect(rows).toEqual([]);
    expect(await migrate(database)).toEqual(names);
  });

  test('of a newer version are told, not touched', async () => {
    const database = await start();
    const newer = { ...migrations, '9999-future': { up: run('create table future (id integer)') } };
    await migrate(database, newer);
    await expect(migrate(database)).rejects.toThrow(
      'The database is newer than this program: it has 9999-future.',
    );
  });

  test('may take longer than a query may', async () => {
    const database = await start(kind === 'postgres' ? { statementTimeoutMs: 100 } : {});
    const slow = { '0001-slow': { up: run(`select pg_sleep(1)`) } };
    expect(await migrate(database, slow)).toEqual(['0001-slow']);
  });
});

test('migrations of many starters at once are applied once', async () => {
  const { options, remove } = await makePlace('postgres');
  for (let round = 0; round < 3; round++) {
    const nodes = await Promise.all(Array.from({ length: starters }, () => openDatabase(options)));
    const applied = await Promise.all(nodes.map((node) => migrate(node)));
    expect(applied.flat()).toEqual(round === 0 ? names : []);
    await Promise.all(nodes.map((node) => node.close()));
  }
  await remove();
});

test('migrations of a database that cannot be reached say so', async () => {
  const port = await findFreePort();
  const database = await openDatabase({ url: `postgres://sluice@127.0.0.1:${port}/none` });
  const error = await migrate(database).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain('The database could not be migrated: connect ECONNREFUSED');
  expect(isUnavailable(error)).toBe(true);
  await database.close();
});

function only(...some: readonly string[]) {
  return Object.fromEntries(Object.entries(migrations).filter(([name]) => some.includes(name)));
}

function run(...statements: string[]) {
  return async (db: Parameters<ReturnType<typeof sql.raw>['execute']>[0]) => {
    for (const statement of statements) await sql.raw(statement).execute(db);
  };
}
