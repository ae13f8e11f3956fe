import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import type { TenantRef } from '../../../limiter/src/core/engine.ts';
import { LedgerSweep } from '../../../platform/src/control/usage/sweep.ts';
import { countsOf, makeTenantRow, nowMinute, onEveryLedger } from './rig.ts';

onEveryLedger('the sweep for ledgers that nobody moves', (rig) => {
  const drained: string[] = [];
  let goesOn = true;
  const sweep = (fails: (tenant: TenantRef) => boolean = () => false) =>
    new LedgerSweep({
      db: rig.db,
      engine: rig.engine,
      drain: async (tenants) => {
        const movable = tenants.filter((tenant) => !fails(tenant));
        drained.push(...movable.map(({ id }) => id));
        const error = new Error('can’t be moved');
        const unmoved = tenants.filter(fails).map((tenant) => ({ tenant, error }));
        return [...(await rig.drainer().drainAll(movable)), ...unmoved];
      },
      rest: async () => goesOn,
    });
  const left = async (tenant: TenantRef, number = 1) => {
    const counts = [{ minute: nowMinute(), outcome: 'blocked', label: '* ', count: 7 }] as const;
    await rig.engine.record(tenant, { writer: 'gone', number, counts });
  };
  const makeDue = () => sql`UPDATE ledger_sweep SET next_at = now()`.execute(rig.db);
  const make = () => makeTenantRow(rig.db);

  beforeEach(async () => {
    await makeDue();
    drained.length = 0;
    goesOn = true;
  });

  it('moves what a dead node left, whether it had set it aside or not, and nothing else', async () => {
    const [counted, taken, idle] = [await make(), await make(), await make()];
    await left(counted);
    await left(taken);
    await rig.engine.takeLedger(taken, 1);
    await sweep().run();
    expect(drained.toSorted()).toEqual([counted.id, taken.id].toSorted());
    for (const { id } of [counted, taken])
      expect(await countsOf(rig.db, id)).toEqual({ blocked: 7 });
    expect(await countsOf(rig.db, idle.id)).toEqual({});
  });

  it('is done once an hour, by one node', async () => {
    const tenant = await make();
    await left(tenant);
    await Promise.all([sweep().run(), sweep().run(), sweep().run()]);
    expect(drained).toEqual([tenant.id]);
    await left(tenant, 2);
    await sweep().run();
    expect(drained).toEqual([tenant.id]);
    const { rows } = await sql<{ minutes: number }>`
      SELECT extract(epoch FROM next_at - now()) / 60 AS minutes FROM ledger_sweep`.execute(rig.db);
    expect(Number(rows[0]?.minutes)).toBeGreaterThan(50);
    await makeDue();
    await sweep().run();
    expect(await countsOf(rig.db, tenant.id)).toEqual({ blocked: 14 });
  });

  it('goes through more tenants than fit on a page', async () => {
    await sql`
      WITH made AS (
        INSERT INTO tenants (id, name, tier, status, timezone, billing_anchor_day)
        SELECT gen_random_uuid(), 'one of many', 'free', 'active', 'UTC', 1
        FROM generate_series(1, 1100) RETURNING id
      )
      INSERT INTO tenant_epochs (tenant_id, epoch, published_epoch) SELECT id, 1, 1 FROM made
    `.execute(rig.db);
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM tenants WHERE name = 'one of many' ORDER BY id`.execute(rig.db);
    const some = [rows[0], rows[600], rows[1099]].map((row) => ({ id: row?.id ?? '' }));
    for (const tenant of some) await left(tenant);
    // Who is to stop leaves the other pages to whoever comes next, at once.
    goesOn = false;
    await sweep().run();
    expect(drained).toEqual([some[0]?.id]);
    goesOn = true;
    await sweep().run();
    expect(drained).toEqual(some.map(({ id }) => id));
  });

  it('goes on where another died with a page, when its time with it is over', async () => {
    const tenants = [await make(), await make()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const [before, after] = tenants as [TenantRef, TenantRef];
    for (const tenant of tenants) await left(tenant);
    await sql`
      UPDATE ledger_sweep SET next_at = now() + interval '1 minute', after_tenant_id = ${before.id}
    `.execute(rig.db);
    await sweep().run();
    expect(drained).toEqual([]);
    await makeDue();
    await sweep().run();
    expect(drained).toEqual([after.id]);
    await makeDue();
    await sweep().run();
    expect(drained).toEqual([after.id, before.id]);
  });

  it('moves all others when one can’t be moved, and says so', async () => {
    const [stuck, fine] = [await make(), await make()];
    await left(stuck);
    await left(fine);
    await expect(sweep(({ id }) => id === stuck.id).run()).rejects.toThrow('can’t be moved');
    expect(drained).toEqual([fine.id]);
    await makeDue();
    await sweep().run();
    expect(await countsOf(rig.db, stuck.id)).toEqual({ blocked: 7 });
  });
});
