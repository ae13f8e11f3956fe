import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Database,
  isUnavailable,
  migrate,
  openDatabase,
  sharedSecret,
} from '../../platform/src/database/index.ts';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';
import { makeEmbeddedFolder } from '../support/databases.ts';
import { DatabaseProcess } from './processes.ts';

describe('the embedded database', () => {
  const processes: DatabaseProcess[] = [];
  const databases: Database[] = [];
  let folder: string;
  let remove: () => Promise<void>;

  beforeEach(async () => {
    ({ folder, remove } = await makeEmbeddedFolder({ migrated: true }));
  });

  afterEach(async () => {
    await Promise.all(processes.splice(0).map((one) => one.kill()));
    await Promise.all(databases.splice(0).map((one) => one.close()));
    await remove();
  });

  async function open(): Promise<Database> {
    const database = await openDatabase({ folder });
    databases.push(database);
    return database;
  }

  function startProcess(work: 'hold' | 'write'): DatabaseProcess {
    const started = new DatabaseProcess(folder, work);
    processes.push(started);
    return started;
  }

  test('keeps every row that it acknowledged before its process was killed', async () => {
    const writer = startProcess('write');
    await writer.until((report) => report.kind === 'wrote' && report.number >= 200);
    await writer.kill();
    const acknowledged = writer.reports.flatMap((report) =>
      report.kind === 'wrote' ? [`row-${report.number}`] : [],
    );
    const database = await open();
    const rows = await database.db.selectFrom('settings').select('name').execute();
    const kept = new Set(rows.map(({ name }) => name));
    expect(acknowledged.filter((name) => !kept.has(name))).toEqual([]);
    // The one that was under way may be there as well.
    expect(kept.size - acknowledged.length).toBeLessThanOrEqual(1);
  });

  test('is refused to a second process, which gets it when the first is killed', async () => {
    const first = startProcess('hold');
    await first.until(({ kind }) => kind === 'opened');
    await expect(openDatabase({ folder })).rejects.toThrow(
      `is in use by process ${first.pid}. Stop that process, or keep this one's data in another`,
    );
    await first.kill();
    await (await open()).ping();
  });

  test('is refused to the process that has it open already', async () => {
    await open();
    await expect(openDatabase({ folder })).rejects.toThrow(`in use by process ${process.pid}`);
  });

  test('gives its folder back when it is closed, and is then unavailable', async () => {
    const database = await open();
    await Promise.all([database.close(), database.close()]);
    expect(existsSync(`${folder}.lock`)).toBe(false);
    const error = await database.ping().catch((thrown: unknown) => thrown);
    expect(isUnavailable(error)).toBe(true);
    await (await open()).ping();
  });

  test('that crashes is unavailable to who waits, and then starts again by itself', async () => {
    const database = await open();
    const secret = await sharedSecret(database.db, 'kept');
    // Without a place for its log PostgreSQL panics.
    const wal = join(folder, 'pg_wal');
    renameSync(wal, `${wal}-away`);
    writeFileSync(wal, '');
    const crashed = await writeUntilItFails(database);
    expect(isUnavailable(crashed)).toBe(true);
    expect(String(crashed)).toContain('the embedded database has stopped: PANIC:');
    const stillDown = await database.ping().catch((error: unknown) => error);
    expect(isUnavailable(stillDown)).toBe(true);

    rmSync(wal);
    renameSync(`${wal}-away`, wal);
    // On a busy machine its start may outlast the wait of who asks first.
    const asked = () => sharedSecret(database.db, 'kept');
    await expect.poll(asked, { timeout: 30_000 }).toBe(secret);
  });

  test('of another PostgreSQL is refused in its words', async () => {
    writeFileSync(join(folder, 'PG_VERSION'), '15\n');
    await expect(openDatabase({ folder })).rejects.toThrow(
      'was initialized by PostgreSQL version 15, which is not compatible',
    );
    expect(existsSync(`${folder}.lock`)).toBe(false);
  });

  test('answers a query that came too late to nobody else', async () => {
    const database = await open();
    const slow = { text: 'select pg_sleep(0.5), 1 as slow', query_timeout: 100 };
    const late = await database.pool.query(slow).catch((error: unknown) => error);
    expect(isUnavailable(late)).toBe(true);
    const { rows } = await sql`select 2 as quick`.execute(database.db);
    expect(rows).toEqual([{ quick: 2 }]);
  });
});

/** Each write begins a new file of the log. */
async function writeUntilItFails({ db }: Database): Promise<unknown> {
  for (let number = 0; number < 10; number++) {
    try {
      await db
        .insertInto('settings')
        .values({ name: `write-${number}`, value: 'v' })
        .execute();
      await sql`select pg_switch_wal()`.execute(db);
    } catch (error) {
      return error;
    }
  }
  return undefined;
}

// Making a database takes some seconds of a free machine, and many of one that is busy.
const firstStartTimeoutMs = 240_000;

describe('the first start of the embedded database', { timeout: firstStartTimeoutMs }, () => {
  let parent: string;
  let folder: string;

  beforeEach(async () => {
    parent = await createTemporaryFolder('first-start');
    folder = join(parent, 'deeper', 'postgres');
  });

  afterEach(() => removeFolder(parent));

  test('leaves the thread that serves free', async () => {
    let turns = 0;
    const turning = setInterval(() => (turns += 1), 5);
    const startMs = performance.now();
    const database = await openDatabase({ folder });
    const durationMs = performance.now() - startMs;
    clearInterval(turning);
    // PostgreSQL itself holds its thread for seconds at a time.
    expect(turns).toBeGreaterThan(durationMs / 100);
    await migrate(database);
    await database.close();
    expect(await readdir(dirname(folder))).toEqual(['postgres']);
  });

  test('that is cut short is begun anew by the next', async () => {
    const first = new DatabaseProcess(folder, 'hold');
    const draft = `${folder}.new`;
    while (!existsSync(join(draft, 'base'))) await sleep(5);
    await first.kill();
    expect(existsSync(join(folder, 'PG_VERSION'))).toBe(false);
    const database = await openDatabase({ folder });
    await migrate(database);
    await database.close();
    expect(await readdir(dirname(folder))).toEqual(['postgres']);
  });

  test('does not touch a folder that holds something else', async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'letters.txt'), 'dear');
    await expect(openDatabase({ folder })).rejects.toThrow('holds files, but no database');
    expect(await readdir(folder)).toEqual(['letters.txt']);
    expect(await readdir(dirname(folder))).toEqual(['postgres']);
  });
});
