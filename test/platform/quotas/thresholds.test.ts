import { beforeAll, expect, it } from 'vitest';
import { MemoryEngine } from '../../../limiter/src/engines/memory/index.ts';
import {
  bind,
  CheckQuestion,
  Decision,
  type BoundLimit,
  type Decided,
  type ParsedCheck,
} from '../../../limiter/src/core/index.ts';
import { QuotaEvents } from '../../../platform/src/control/quotas/quota-events.ts';
import { QuotaUsage } from '../../../platform/src/control/quotas/quota-usage.ts';
import { QuotaKeeper } from '../../../platform/src/decide/index.ts';
import { QuotaLimits } from '../../../platform/src/snapshot/quota-limits.ts';
import { onEveryAdmin, type Body } from '../admin/rig.ts';

const hook = { url: 'https://hooks.example.com/', events: ['quota.threshold'] };
const teams = { eng: { limit: 50, users: { alice: { limit: 20 } } } };

onEveryAdmin('thresholds of a quota', (suite) => {
  const keepers: QuotaKeeper[] = [];
  let engine: MemoryEngine;

  beforeAll(() => {
    const { db } = suite.rig.database;
    engine = new MemoryEngine();
    for (let node = 0; node < 3; node += 1) {
      keepers.push(
        new QuotaKeeper({
          carry: async () => {},
          engine: {
            counterName: ({ limit, parts }: BoundLimit) => `${limit.counterId} ${parts.join('|')}`,
            seed: async () => {},
          },
          usage: new QuotaUsage(db),
          events: new QuotaEvents(db),
        }),
      );
    }
    return () => engine.close();
  });

  /** Decided once, and seen by all nodes. */
  async function use(id: string, cost: number, attributes: Record<string, string> = {}) {
    const tree = QuotaLimits.of(
      {
        name: 'calls',
        period: 'month',
        unit: 'requests',
        allowance: 100,
        mode: null,
        teams,
        topUps: [],
      },
      {
        calendar: { timezone: 'UTC', billingAnchorDay: 1 },
        nowMs: Date.now(),
        mode: 'enforce',
      },
    ) as QuotaLimits;
    const check: ParsedCheck = {
      resource: 'r',
      subject: 's',
      tenant: 'acme',
      key: null,
      cost,
      costs: {},
      attributes,
      idempotencyKey: null,
      reserve: null,
    };
    const question = new CheckQuestion(check, bind(tree.applying(attributes), check));
    const answer = engine.answerNow({ id }, question) as Decided;
    const decision = new Decision({
      check,
      question,
      answer,
      basis: 'exact',
      degradedReason: null,
    });
    for (const keeper of keepers) keeper.note({ id, generation: 0 }, decision);
  }

  const flushAll = () => Promise.all(keepers.map((keeper) => keeper.flush()));

  async function rowsOf(id: string) {
    const { db } = suite.rig.database;
    const events = await db
      .selectFrom('quota_events')
      .select(['quota', 'level', 'entity', 'threshold'])
      .where('tenant_id', '=', id)
      .orderBy('level')
      .orderBy('threshold')
      .execute();
    const deliveries = await db
      .selectFrom('webhook_deliveries')
      .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
      .select(['webhook_id', 'event', 'payload', 'attempts'])
      .where('tenant_id', '=', id)
      .orderBy('webhook_deliveries.id')
      .execute();
    const audit = await suite.admin.get(`audit?tenant_id=${id}&noun=quotas&limit=200`);
    const notices = audit.body.items.filter(({ action }) => action === 'notice');
    return { events, deliveries, notices };
  }

  it('are told once however many nodes see them, in the audit and to each who wants to hear', async () => {
    const { admin } = suite;
    for (let round = 0; round < 10; round += 1) {
      const id = await admin.makeTenant();
      const hooks = [
        (await admin.post('webhooks', { ...hook, tenant_id: id })).body.id,
        (await admin.post('webhooks', { ...hook, tenant_id: id })).body.id,
      ];
      await use(id, 79);
      await flushAll();
      expect(await rowsOf(id)).toMatchObject({ events: [], deliveries: [], notices: [] });
      await use(id, 17);
      await flushAll();
      await use(id, 5);
      await flushAll();
      await flushAll();
      const { events, deliveries, notices } = await rowsOf(id);
      const common = { quota: 'calls', level: 'organization', entity: id };
      expect(events).toEqual([80, 95, 100].map((threshold) => ({ ...common, threshold })));
      expect(notices).toHaveLength(3);
      for (const webhookId of hooks) {
        const sent = deliveries.filter(({ webhook_id }) => webhook_id === webhookId);
        expect(sent.map(({ payload }) => (payload as Body)['threshold'])).toEqual([80, 95, 100]);
      }
      expect(deliveries).toHaveLength(6);
    }
  });

  it('say what was used of what, by whom, and when that ends', async () => {
    const { admin } = suite;
    const id = await admin.makeTenant();
    await admin.post('webhooks', { ...hook, tenant_id: id });
    await use(id, 17, { team: 'eng', user: 'alice' });
    await flushAll();
    const { deliveries, notices } = await rowsOf(id);
    const event = {
      id: expect.any(String),
      type: 'quota.threshold',
      at: expect.any(String),
      tenant_id: id,
      quota: 'calls',
      level: 'user',
      entity: 'eng/alice',
      threshold: 80,
      used: 17,
      limit: 20,
      period: { starts_at: expect.any(String), ends_at: expect.any(String) },
    };
    expect(deliveries).toEqual([
      { webhook_id: expect.any(String), event: 'quota.threshold', payload: event, attempts: 0 },
    ]);
    expect(notices).toMatchObject([
      { actor: 'system', action: 'notice', object_id: id, before: null, after: event },
    ]);
    const [{ payload } = { payload: null }] = deliveries;
    const { period } = payload as { period: Record<string, string> };
    expect(Date.parse(String(period['starts_at']))).toBeLessThanOrEqual(Date.now());
    expect(Date.parse(String(period['ends_at']))).toBeGreaterThan(Date.now());
  });

  it('are told to who hears of all tenants, and not to who hears of another', async () => {
    const { admin, rig } = suite;
    const [id, other] = [await admin.makeTenant(), await admin.makeTenant()];
    const shared = (await admin.post('webhooks', hook)).body.id;
    const foreign = (await admin.post('webhooks', { ...hook, tenant_id: other })).body.id;
    await use(id, 85);
    await flushAll();
    const sent = await rig.database.db
      .selectFrom('webhook_deliveries')
      .select('webhook_id')
      .where('webhook_id', 'in', [shared, foreign])
      .execute();
    expect(sent).toEqual([{ webhook_id: shared }]);
    await admin.delete(`webhooks/${shared}`);
  });

  it('are told of the others when a tenant is gone', async () => {
    const { admin } = suite;
    const [gone, id] = [await admin.makeTenant(), await admin.makeTenant()];
    await use(gone, 85);
    await use(id, 85);
    await admin.delete(`tenants/${gone}`);
    await flushAll();
    expect((await rowsOf(id)).events).toHaveLength(1);
    expect((await rowsOf(gone)).events).toEqual([]);
  });
});
