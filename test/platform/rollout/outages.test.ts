import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../../platform/src/database/index.ts';
import { RolloutWriter } from '../../../platform/src/evidence/rollout/writer.ts';
import { migratedDatabase, type PostgresDatabase } from '../../support/databases.ts';
import { FaultProxy } from '../../support/fault-proxy.ts';
import { makeTenant, names, rowsOf, Rows, totalsOf } from './rig.ts';

const tenantId = randomUUID();
let made: PostgresDatabase;
let proxy: FaultProxy;
let database: Database;
let source: Rows;
let writer: RolloutWriter;

beforeEach(async () => {
  made = await migratedDatabase();
  const url = new URL(made.url);
  proxy = await FaultProxy.start(Number(url.port));
  url.port = String(proxy.port);
  database = await openDatabase({ url: url.href, poolSize: 1 });
  source = new Rows();
  writer = new RolloutWriter({ db: database.db, source, names });
  await makeTenant(database.db, tenantId);
});

afterEach(async () => {
  await database.close();
  await proxy.stop();
  await made.drop();
});

const isWritten = () =>
  writer.flush().then(
    () => true,
    () => false,
  );

/** There again: the first attempt may find out that the connection is gone. */
async function untilWritten(): Promise<void> {
  proxy.fault = { kind: 'pass' };
  await expect.poll(isWritten).toBe(true);
}

it('a batch counts once, at whatever answer the connection breaks', async () => {
  let expected = 0;
  let lost = 0;
  // A batch takes a dozen answers, the last of which says that it is written.
  for (let after = 0; after < 20; after += 1) {
    proxy.fault = { kind: 'reset_on_reply', after };
    source.put(rowsOf({ tenantId, subjects: { ann: [3, 1], bob: [2, 0] } }));
    if (!(await isWritten())) lost += 1;
    // What comes meanwhile is not lost either.
    source.put(rowsOf({ tenantId, subjects: { ann: [1, 0] } }));
    expected += 6;
    await untilWritten();
  }
  expect(lost).toBeGreaterThan(8);
  expect(lost).toBeLessThan(20);
  expect(await totalsOf(database.db, tenantId)).toEqual({
    calls: expected,
    subjects: 2,
    of_subjects: expected,
  });
});

it('a subject is erased from a batch that waits for the database', async () => {
  source.put(rowsOf({ tenantId, subjects: { ann: [2, 1], bob: [1, 0] } }));
  proxy.fault = { kind: 'reset_on_reply' };
  expect(await isWritten()).toBe(false);
  await writer.erase(tenantId, 'ann');
  await untilWritten();
  const totals = await totalsOf(database.db, tenantId);
  expect(totals).toEqual({ calls: 3, subjects: 1, of_subjects: 1 });
});
