import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { keptDays, removeOldUsage } from '../../../platform/src/control/usage/retention.ts';
import type { Step } from '../../../platform/src/control/usage/usage-lines.ts';
import { onEveryDatabase } from '../../support/databases.ts';
import { makeTenantRow } from './rig.ts';

onEveryDatabase('what is kept of usage', (rig) => {
  const put = (tenantId: string, step: Step, days: number, rows = 1) =>
    sql`
      INSERT INTO usage_counts (tenant_id, step, at, resource, limit_name, outcome, count)
      SELECT ${tenantId}, ${step}, now() - make_interval(days => ${days}), 'r' || n, '', 'allowed', 1
      FROM generate_series(1, ${rows}) n`.execute(rig.database.db);
  const kept = async (tenantId: string) => {
    const { rows } = await sql<{ step: Step; days: number }>`
      SELECT step, round(extract(epoch FROM now() - at) / 86400)::integer AS days
      FROM usage_counts WHERE tenant_id = ${tenantId} ORDER BY step, at DESC`.execute(
      rig.database.db,
    );
    return rows.map(({ step, days }) => `${step} ${days}`);
  };

  it('is minutes for 14 days, hours for 400, and days for ever', async () => {
    expect(keptDays).toEqual({ minute: 14, hour: 400 });
    const { id } = await makeTenantRow(rig.database.db);
    for (const step of ['minute', 'hour', 'day'] as const) {
      for (const days of [0, 13, 15, 399, 401, 4000]) await put(id, step, days);
    }
    expect(await removeOldUsage(rig.database.db)).toBe(6);
    expect(await kept(id)).toEqual([
      ...[0, 13, 15, 399, 401, 4000].map((days) => `day ${days}`),
      ...[0, 13, 15, 399].map((days) => `hour ${days}`),
      ...[0, 13].map((days) => `minute ${days}`),
    ]);
    expect(await removeOldUsage(rig.database.db)).toBe(0);
  });

  it('is nothing of tenants that are gone', async () => {
    const { db } = rig.database;
    const [gone, stays] = [await makeTenantRow(db), await makeTenantRow(db)];
    for (const { id } of [gone, stays]) await put(id, 'day', 3);
    await sql`INSERT INTO ledger_positions VALUES (${gone.id}, 3), (${stays.id}, 4)`.execute(db);
    await sql`UPDATE tenant_epochs SET deleted = true WHERE tenant_id = ${gone.id}`.execute(db);
    await db.deleteFrom('tenants').where('id', '=', gone.id).execute();
    await removeOldUsage(db);
    expect(await kept(gone.id)).toEqual([]);
    expect(await kept(stays.id)).toEqual(['day 3']);
    const positions = db.selectFrom('ledger_positions').select('batch');
    expect(await positions.where('tenant_id', 'in', [gone.id, stays.id]).execute()).toEqual([
      { batch: 4 },
    ]);
  });

  it('is deleted some at a time, by any number of nodes', async () => {
    const { id } = await makeTenantRow(rig.database.db);
    await put(id, 'minute', 20, 12_000);
    const removed = await Promise.all([1, 2].map(() => removeOldUsage(rig.database.db)));
    expect(removed.reduce((sum, count) => sum + count, 0)).toBe(12_000);
    expect(await kept(id)).toEqual([]);
  });
});
