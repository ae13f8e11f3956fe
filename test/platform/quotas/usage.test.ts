import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { QuotaUsage, type SeenUsage } from '../../../platform/src/control/quotas/quota-usage.ts';
import { onEveryAdmin } from '../admin/rig.ts';

const hourUs = 3_600_000_000;
const nowUs = Date.UTC(2026, 10, 16, 12, 30) * 1000;
const period = (hours: number) => {
  const startUs = nowUs - (nowUs % hourUs) + hours * hourUs;
  return { startUs, endUs: startUs + hourUs };
};

onEveryAdmin('what is saved of quotas', (suite) => {
  const usageAt = (us: number) => new QuotaUsage(suite.rig.database.db, { clock: () => us });
  const seen = (tenantId: string, more: Partial<SeenUsage> = {}): SeenUsage => ({
    tenantId,
    generation: 0,
    counter: 'c',
    global: false,
    period: period(0),
    used: 10,
    ...more,
  });

  it('is the most that anybody saw, of the period that began last', async () => {
    const id = await suite.admin.makeTenant();
    const usage = usageAt(nowUs);
    const usedNow = async () => (await usage.seedsOf(id, 0)).map(({ used }) => used);
    for (const [more, used] of [
      [{ used: 10 }, 10],
      [{ used: 7 }, 10],
      [{ used: 12 }, 12],
      [{ used: 12 }, 12],
      // Heard of late.
      [{ used: 99, period: period(-1) }, 12],
      [{ used: 3, period: period(1) }, 3],
      [{ used: 50 }, 3],
      [{ used: 2 ** 50, period: period(1) }, 2 ** 50],
    ] as const) {
      await usage.save([seen(id, more)]);
      expect(await usedNow()).toEqual([used]);
    }
  });

  it('is told of each counter whose period still runs, in the generation asked for', async () => {
    const [id, other] = [await suite.admin.makeTenant(), await suite.admin.makeTenant()];
    const usage = usageAt(nowUs);
    await usage.save([
      seen(id, { counter: 'a' }),
      seen(id, { counter: 'a', global: true, used: 5 }),
      seen(id, { counter: 'over', period: period(-1) }),
      seen(id, { counter: 'new life', generation: 1 }),
      seen(other, { counter: 'b' }),
    ]);
    const seeds = await usage.seedsOf(id, 0);
    expect(seeds.toSorted((a, b) => b.used - a.used)).toEqual([
      { counter: 'a', global: false, period: period(0), used: 10 },
      { counter: 'a', global: true, period: period(0), used: 5 },
    ]);
    expect(await usage.seedsOf(id, 1)).toMatchObject([{ counter: 'new life' }]);
    expect(await usage.seedsOf(randomUUID(), 0)).toEqual([]);
    expect(await usageAt(period(0).endUs).seedsOf(id, 0)).toEqual([]);
  });

  it('is removed a day after its period', async () => {
    const id = await suite.admin.makeTenant();
    await usageAt(nowUs).save([
      seen(id, { counter: 'a' }),
      seen(id, { counter: 'b', period: period(1) }),
    ]);
    const dayAfter = period(0).endUs + 24 * hourUs;
    const rows = () =>
      suite.rig.database.db
        .selectFrom('quota_usage')
        .select('counter')
        .where('tenant_id', '=', id)
        .execute();
    await usageAt(dayAfter).removeOld();
    expect(await rows()).toHaveLength(2);
    expect(await usageAt(dayAfter + 1).removeOld()).toBeGreaterThan(0);
    expect(await rows()).toEqual([{ counter: 't:b' }]);
  });

  it('is saved for the others when a tenant is gone', async () => {
    const [gone, id] = [await suite.admin.makeTenant(), await suite.admin.makeTenant()];
    await suite.admin.delete(`tenants/${gone}`);
    const usage = usageAt(nowUs);
    await usage.save([seen(gone), seen(id), seen(randomUUID())]);
    expect(await usage.seedsOf(id, 0)).toHaveLength(1);
    expect(await usage.seedsOf(gone, 0)).toEqual([]);
    await usage.save([]);
  });

  describe('by several nodes at once', () => {
    it('loses nothing and keeps nobody waiting for ever', async () => {
      const id = await suite.admin.makeTenant();
      const usage = usageAt(nowUs);
      const counters = Array.from({ length: 2500 }, (_, at) => `c${at}`);
      const by = (node: number) =>
        counters.map((counter, at) => seen(id, { counter, used: ((at * 7 + node * 13) % 97) + 1 }));
      // Each in an order of its own.
      const nodes = [by(0), by(1).toReversed(), by(2).toSorted(() => 0.5 - Math.random())];
      await Promise.all(nodes.map((rows) => usage.save(rows)));
      const most = new Map(
        counters.map((counter, at) => [
          counter,
          Math.max(...[0, 1, 2].map((node) => ((at * 7 + node * 13) % 97) + 1)),
        ]),
      );
      const seeds = await usage.seedsOf(id, 0);
      expect(new Map(seeds.map(({ counter, used }) => [counter, used]))).toEqual(most);
    });
  });
});
