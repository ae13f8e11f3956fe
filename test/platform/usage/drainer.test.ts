import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LedgerCount, TenantRef } from '../../../limiter/src/core/engine.ts';
import { Drainer, type LedgerStore } from '../../../platform/src/control/usage/drainer.ts';
import { steps } from '../../../platform/src/control/usage/usage-lines.ts';
import { countsOf, makeTenantRow, nowMinute, onEveryLedger } from './rig.ts';

onEveryLedger('the drainer', (rig) => {
  let tenant: TenantRef;
  let recorded = 0;

  beforeEach(async () => {
    tenant = await makeTenantRow(rig.db);
    recorded = 0;
  });

  const record = async (count: number, more: Partial<LedgerCount> = {}) => {
    const counted = {
      minute: nowMinute(),
      outcome: 'blocked',
      label: '* a',
      count,
      ...more,
    } as const;
    recorded += 1;
    await rig.engine.record(tenant, { writer: 'node', number: recorded, counts: [counted] });
  };
  const blocked = async () => (await countsOf(rig.db, tenant.id))['blocked'] ?? 0;

  it('counts calls and limits, by the minute, the hour and the day', async () => {
    const minute = Date.UTC(2026, 1, 28, 23, 59) / 60_000;
    await record(2, { minute, outcome: 'allowed', label: 'GET:/a b a,b,a' });
    await record(3, { minute: minute + 1, outcome: 'warned', label: 'GET:/a b a,b' });
    await record(4, { minute: minute + 1, outcome: 'blocked', label: 'GET:/a b b' });
    await record(5, { minute: minute - 70, outcome: 'would_block', label: 'GET:/a b a' });
    await record(6, { minute, outcome: 'degraded', label: '* ' });
    await rig.drainer().drain(tenant);
    for (const step of steps) {
      expect(await countsOf(rig.db, tenant.id, step)).toEqual({
        allowed: 2,
        warned: 3,
        blocked: 4,
        degraded: 6,
        'a allowed': 5,
        'b allowed': 5,
        'b blocked': 4,
        'a would_block': 5,
      });
    }
    const { rows } = await sql<{ step: string; at: Date; resource: string; count: number }>`
      SELECT step, at, resource, count FROM usage_counts
      WHERE tenant_id = ${tenant.id} AND limit_name = 'a' ORDER BY step, at`.execute(rig.db);
    const at = (...time: [number, number, number, number?, number?]) => new Date(Date.UTC(...time));
    const resource = 'GET:/a b';
    expect(rows).toEqual(
      [
        { step: 'day', at: at(2026, 1, 28), count: 2 },
        { step: 'day', at: at(2026, 1, 28), count: 5 },
        { step: 'day', at: at(2026, 2, 1), count: 3 },
        { step: 'hour', at: at(2026, 1, 28, 22), count: 5 },
        { step: 'hour', at: at(2026, 1, 28, 23), count: 2 },
        { step: 'hour', at: at(2026, 2, 1, 0), count: 3 },
        { step: 'minute', at: at(2026, 1, 28, 22, 49), count: 5 },
        { step: 'minute', at: at(2026, 1, 28, 23, 59), count: 2 },
        { step: 'minute', at: at(2026, 2, 1, 0, 0), count: 3 },
      ].map((row) => ({ ...row, resource })),
    );
  });

  it('adds what comes later, to the unit', async () => {
    for (let round = 1; round <= 5; round += 1) {
      await record(round);
      await rig.drainer().drain(tenant);
      await rig.drainer().drain(tenant);
    }
    expect(await blocked()).toBe(15);
  });

  it('loses and doubles nothing while two drain the same ledger', async () => {
    const drainers = [
      new Drainer(rig.db, rig.engine),
      new Drainer(rig.other.db, rig.other.engine),
    ] as const;
    const rounds = 60;
    const work = drainers.map(async (drainer) => {
      for (let round = 0; round < rounds; round += 1) await drainer.drain(tenant);
    });
    let sum = 0;
    for (let count = 1; count <= rounds; count += 1) {
      await record(count);
      sum += count;
    }
    await Promise.all(work);
    await drainers[0].drain(tenant);
    expect(await blocked()).toBe(sum);
    expect(await rig.engine.hasLedger(tenant, (await position()) + 1)).toBe(false);
  });

  const position = async () => {
    const row = await rig.db
      .selectFrom('ledger_positions')
      .select('batch')
      .where('tenant_id', '=', tenant.id)
      .executeTakeFirstOrThrow();
    return row.batch;
  };

  it('loses nothing to one that comes to itself when another has moved on', async () => {
    await record(1);
    // It asked for the first batch, and everybody took it for dead before that arrived.
    await rig.drainer().drain(tenant);
    await record(2);
    expect(await rig.engine.takeLedger(tenant, 1)).toEqual({ kind: 'dropped', last: 1 });
    await rig.drainer().drain(tenant);
    expect(await blocked()).toBe(3);
  });

  it('goes on after the store’s last batch when the database was set back', async () => {
    for (const count of [1, 2, 3]) {
      await record(count);
      await rig.drainer().drain(tenant);
    }
    await sql`UPDATE ledger_positions SET batch = 1 WHERE tenant_id = ${tenant.id}`.execute(rig.db);
    await record(4);
    await rig.drainer().drain(tenant);
    expect(await blocked()).toBe(10);
    expect(await position()).toBe(4);
  });

  it('keeps nothing of a tenant that is gone', async () => {
    await record(1);
    await rig.db.deleteFrom('tenants').where('id', '=', tenant.id).execute();
    await rig.drainer().drain(tenant);
    expect(await countsOf(rig.db, tenant.id)).toEqual({});
    const other = { id: randomUUID() };
    await rig.drainer().drain(other);
    const positions = rig.db.selectFrom('ledger_positions').selectAll();
    expect(await positions.where('tenant_id', '=', other.id).execute()).toEqual([]);
  });

  describe('where a step fails', () => {
    const failing = (verb: keyof LedgerStore, isDone: boolean): LedgerStore => {
      const failed = async (work: () => Promise<unknown>): Promise<never> => {
        if (isDone) await work();
        throw new Error('the store is away');
      };
      const { engine } = rig;
      return {
        takeLedger: (of, batch) =>
          verb === 'takeLedger'
            ? failed(() => engine.takeLedger(of, batch))
            : engine.takeLedger(of, batch),
        dropLedger: (of, batch) =>
          verb === 'dropLedger'
            ? failed(() => engine.dropLedger(of, batch))
            : engine.dropLedger(of, batch),
      };
    };

    it.each([
      ['takeLedger', false],
      ['takeLedger', true],
      ['dropLedger', false],
      ['dropLedger', true],
    ] as const)('counts once (%s, done %s)', async (verb, isDone) => {
      await record(5);
      await expect(rig.drainer(failing(verb, isDone)).drain(tenant)).rejects.toThrow('away');
      await record(7);
      await rig.drainer().drain(tenant);
      await rig.drainer().drain(tenant);
      expect(await blocked()).toBe(12);
      expect(await rig.engine.hasLedger(tenant, (await position()) + 1)).toBe(false);
    });

    it('holds nobody up for long by a store that says nothing', async () => {
      await record(5);
      const silent: LedgerStore = {
        takeLedger: () => new Promise(() => {}),
        dropLedger: async () => {},
      };
      await expect(rig.drainer(silent).drain(tenant)).rejects.toThrow('timeout');
      await rig.drainer().drain(tenant);
      expect(await blocked()).toBe(5);
    });
  });
});
