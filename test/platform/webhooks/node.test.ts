import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { QuotaEvents } from '../../../platform/src/control/quotas/quota-events.ts';
import { onEveryStack } from '../rig/stacks.ts';
import { Receiver } from './receiver.ts';

const kinds = ['embedded, memory', 'PostgreSQL, Redis'] as const;

/** A second is what a node lets pass between two looks. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = Date.now() + 20_000;
  while (!(await isSo())) {
    if (Date.now() > endMs) throw new Error('it did not come to pass');
    await sleep(50);
  }
}

onEveryStack(
  'a whole node',
  (rig) => {
    let receiver: Receiver;
    beforeAll(async () => {
      receiver = await Receiver.start();
    });
    afterAll(() => receiver.stop());

    it('delivers by itself, counts that, and goes on after a restart', async () => {
      const tenant = await rig.client.makeTenant();
      const hook = { tenant_id: tenant.id, url: receiver.url, events: ['quota.threshold'] };
      const { id } = await rig.client.change('POST', 'webhooks', hook);
      const raise = (threshold: 80 | 95) =>
        new QuotaEvents(rig.node.service.foundation.database.db).raise([
          {
            tenantId: tenant.id,
            quota: 'calls',
            level: 'organization',
            entity: tenant.id,
            threshold,
            used: 95,
            limit: 100,
            period: { startUs: 0, endUs: 1 },
          },
        ]);
      await raise(80);
      await until(() => receiver.received.length === 1);
      const counted = async () => {
        const { text } = await rig.client.get('/metrics');
        return text.includes('rl_webhook_deliveries_total{outcome="delivered"} 1');
      };
      await until(counted);
      await raise(95);
      await rig.restart();
      await until(() => receiver.received.length === 2);
      const { text } = await rig.client.admin('GET', `webhooks/${id}/deliveries`);
      expect(JSON.parse(text).items).toHaveLength(2);
      const { text: metrics } = await rig.client.get('/metrics');
      expect(metrics).not.toContain(tenant.id);
      expect(rig.node.log()).not.toContain('job.failed');
    });

    it('shows a quota, its top-up and its use', async () => {
      const tenant = await rig.client.makeTenant();
      await rig.client.change('PUT', `quotas/${tenant.id}`, { limit: 10, period: 'year' });
      await rig.client.change('POST', `quotas/${tenant.id}/top-up`, { amount: 5, reason: 'x' });
      const { text } = await rig.client.admin('GET', `quotas/${tenant.id}`);
      expect(JSON.parse(text)).toMatchObject({ limit: 10, effective_limit: 15 });
      expect((await rig.client.check(tenant.key, { resource: 'r', subject: 's' })).status).toBe(
        200,
      );
    });
  },
  { kinds, settings: { SLUICE_WEBHOOK_PRIVATE: 'on' } },
);
