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

  const record = (count: number, more: Partial<LedgerCount> = {}) => recordOf(tenant, count, more);
  const recordOf = async (of: TenantRef, count: number, more: Partial<LedgerCount> = {}) => {
    const counted = {
      minute: nowMinute(),
      outcome: 'blocked',
      label: '* a',
      count,
      ...more,
    } as const;
    recorded += 1;
    await rig.engine.record(of, { writer: 'node', number: recorded, counts: [counted] });
  };
  const blockedOf = async (of: TenantRef) => (await countsOf(rig.db, of.id))['blocked'] ?? 0;
  const blocked = () => blockedOf(tenant);

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

  describe('of many tenants at once', () => {
    let tenants: readonly TenantRef[];

    beforeEach(async () => {
      tenants = await Promise.all(Array.from({ length: 60 }, () => makeTenantRow(rig.db)));
      for (const [at, one] of tenants.entries()) await recordOf(one, at + 1);
    });

    const ofAll = async () => Promise.all(tenants.map(blockedOf));
    const each = (times: number) => tenants.map((_, at) => (at + 1) * times);

    it('moves each to its own, whether it was moved before or not', async () => {
      expect(await rig.drainer().drainAll(tenants.slice(0, 30))).toEqual([]);
      expect(await rig.drainer().drainAll(tenants)).toEqual([]);
      expect(await ofAll()).toEqual(each(1));
      for (const [at, one] of tenants.entries()) await recordOf(one, at + 1);
      expect(await rig.drainer().drainAll(tenants)).toEqual([]);
      expect(await ofAll()).toEqual(each(2));
    });

    it('loses and doubles nothing while two drain the same in opposite orders', async () => {
      const drainers = [
        new Drainer(rig.db, rig.engine),
        new Drainer(rig.other.db, rig.other.engine),
      ] as const;
      for (let round = 1; round <= 5; round += 1) {
        const drained = await Promise.all([
          drainers[0].drainAll(tenants),
          drainers[1].drainAll(tenants.toReversed()),
        ]);
        expect(drained).toEqual([[], []]);
        expect(await ofAll()).toEqual(each(round));
        for (const [at, one] of tenants.entries()) await recordOf(one, at + 1);
      }
    });

    const without = (fails: (of: TenantRef) => boolean): LedgerStore => ({
      takeLedger: async (of, batch) => {
        if (fails(of)) throw new Error('the store is away');
        return rig.engine.takeLedger(of, batch);
      },
      dropLedger: (of, batch) => rig.engine.dropLedger(of, batch),
    });

    it('moves all others where the store does not give one', async () => {
      const [stuck, ...others] = tenants as [TenantRef, ...TenantRef[]];
      const undrained = await rig.drainer(without((of) => of.id === stuck.id)).drainAll(tenants);
      expect(undrained.map(({ tenant: of }) => of.id)).toEqual([stuck.id]);
      expect(await Promise.all(others.map(blockedOf))).toEqual(each(1).slice(1));
      expect(await blockedOf(stuck)).toBe(0);
      expect(await rig.drainer().drainAll(tenants)).toEqual([]);
      expect(await ofAll()).toEqual(each(1));
    });

    it('asks a store that gives none a few times only', async () => {
      let asked = 0;
      const away = without(() => {
        asked += 1;
        return true;
      });
      // Their positions are there.
      await rig.drainer().drainAll(tenants);
      const undrained = await rig.drainer(away).drainAll(tenants);
      expect(undrained.map(({ tenant: of }) => of.id)).toEqual(tenants.map(({ id }) => id));
      expect(asked).toBeLessThan(tenants.length);
    });

    it('moves what is left beside a tenant that is gone', async () => {
      const [gone, ...others] = tenants as [TenantRef, ...TenantRef[]];
      await rig.db.deleteFrom('tenants').where('id', '=', gone.id).execute();
      expect(await rig.drainer().drainAll(tenants)).toEqual([]);
      expect(await Promise.all(others.map(blockedOf))).toEqual(each(1).slice(1));
      expect(await blockedOf(gone)).toBe(0);
    });
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
