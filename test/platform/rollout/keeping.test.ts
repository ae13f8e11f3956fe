import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { RolloutEraser, RolloutOldRows } from '../../../platform/src/evidence/rollout/index.ts';
import { RolloutWriter } from '../../../platform/src/evidence/rollout/writer.ts';
import { onEveryAdmin } from '../admin/rig.ts';
import { all, crowd, names, rowsOf, Rows, see, totalsOf } from './rig.ts';

onEveryAdmin('what is kept of a rollout', (suite) => {
  let tenantId: string;

  beforeEach(async () => {
    tenantId = await suite.admin.makeTenant();
  });

  const totals = () => totalsOf(suite.rig.database.db, tenantId);
  const writerOf = (source: Rows) =>
    new RolloutWriter({ db: suite.rig.database.db, source, names });

  it('is not written of a tenant that is gone, and nothing else is held up by it', async () => {
    const source = new Rows();
    const other = await suite.admin.makeTenant();
    await suite.admin.delete(`tenants/${other}`);
    source.put(rowsOf({ tenantId: other, subjects: { ann: [1, 0] } }));
    source.put(rowsOf({ tenantId, subjects: { ann: [3, 1] } }));
    await writerOf(source).flush();
    expect(await totals()).toEqual({ calls: 3, subjects: 1, of_subjects: 3 });
    const left = await suite.rig.database.db
      .selectFrom('rollout_limits')
      .where('tenant_id', '=', other)
      .selectAll()
      .execute();
    expect(left).toEqual([]);
  });

  it('goes with the tenant', async () => {
    await see(suite.rig.database.db, { tenantId, subjects: crowd(10, 1) });
    const [limit] = await suite.rig.database.db
      .selectFrom('rollout_limits')
      .where('tenant_id', '=', tenantId)
      .select('id')
      .execute();
    await suite.admin.delete(`tenants/${tenantId}`);
    expect((await suite.admin.get('rollout?limit_name=m&limit=200')).text).not.toContain(tenantId);
    await new RolloutOldRows(suite.rig.database.db, { subjectDays: 30 }).removeOld();
    for (const table of ['rollout_hours', 'rollout_subjects'] as const) {
      const { rows } = await sql`
        SELECT 1 FROM ${sql.table(table)} WHERE limit_id = ${limit?.id}`.execute(
        suite.rig.database.db,
      );
      expect(rows).toEqual([]);
    }
    expect(await totals()).toEqual({ calls: 0, subjects: 0, of_subjects: 0 });
  });

  it('of subjects is kept for as many days as is set, of hours for 400', async () => {
    const { db } = suite.rig.database;
    for (const daysAgo of [1, 29, 31, 399, 402]) {
      await see(db, { tenantId, daysAgo, subjects: { ann: [1, 0] } });
    }
    await new RolloutOldRows(db, { subjectDays: 30 }).removeOld();
    expect(await totals()).toEqual({ calls: 4, subjects: 2, of_subjects: 2 });
    await new RolloutOldRows(db, { subjectDays: 7 }).removeOld();
    expect(await totals()).toEqual({ calls: 4, subjects: 1, of_subjects: 1 });
  });

  it('of subjects that are no longer followed is deleted', async () => {
    const { db } = suite.rig.database;
    await see(db, { tenantId, subjects: crowd(200, 10) });
    expect((await totals()).subjects).toBe(200);
    await see(db, { tenantId, below: all / 4, subjects: { late: [1, 0] } });
    const points = Object.keys(crowd(200, 10)).map((subject) => names.pointOf(tenantId, subject));
    const left = points.filter((point) => point < all / 4).length;
    const isLate = names.pointOf(tenantId, 'late') < all / 4 ? 1 : 0;
    expect((await totals()).subjects).toBe(left + isLate);
  });

  describe('of a subject', () => {
    it('is erased, in the database and in memory, and nobody else is', async () => {
      const { db } = suite.rig.database;
      const other = await suite.admin.makeTenant();
      const long = 'é'.repeat(900);
      await see(db, { tenantId, daysAgo: 2, subjects: { ann: [3, 1], bob: [1, 0] } });
      await see(db, { tenantId: other, subjects: { ann: [4, 0] } });
      const source = new Rows();
      const writer = writerOf(source);
      source.put(rowsOf({ tenantId, subjects: { ann: [2, 0], [names.stored(long)]: [1, 0] } }));
      const eraser = new RolloutEraser({ db, writer, names });
      expect(eraser.name).toBe('rollout');
      expect(await eraser.erase(tenantId, 'ann')).toBe(2);
      expect(await eraser.erase(tenantId, 'ann')).toBe(0);
      expect(await eraser.erase(tenantId, long)).toBe(1);
      // Calls were made, whoever made them.
      expect(await totals()).toEqual({ calls: 7, subjects: 1, of_subjects: 1 });
      const { rows } = await sql`
        SELECT 1 FROM rollout_subjects JOIN rollout_limits ON limit_id = id
        WHERE tenant_id = ${other} AND subject = 'ann'`.execute(db);
      expect(rows).toHaveLength(1);
    });

    it('is not written by a node that had it in memory when it was erased elsewhere', async () => {
      const { db } = suite.rig.database;
      const there = new Rows();
      const elsewhere = writerOf(there);
      there.put(rowsOf({ tenantId, subjects: { ann: [2, 1], bob: [1, 0] } }));
      await new RolloutEraser({ db, writer: writerOf(new Rows()), names }).erase(tenantId, 'ann');
      await elsewhere.flush();
      expect(await totals()).toEqual({ calls: 3, subjects: 1, of_subjects: 1 });
    });
  });

  it('is given up when the database will not have it, so that what follows is kept', async () => {
    const lost: unknown[] = [];
    const source = new Rows();
    const writer = new RolloutWriter({
      db: suite.rig.database.db,
      source,
      names,
      onLost: (error) => lost.push(error),
    });
    source.put(rowsOf({ tenantId, subjects: { 'a\u0000b': [1, 0] } }));
    for (let attempt = 1; attempt < 5; attempt += 1)
      await expect(writer.flush()).rejects.toThrow(/0x00|encoding/);
    source.put(rowsOf({ tenantId, subjects: { ann: [1, 0] } }));
    await writer.flush();
    expect(lost).toHaveLength(1);
    expect(await totals()).toEqual({ calls: 1, subjects: 1, of_subjects: 1 });
  });
});
