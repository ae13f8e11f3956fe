import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startNode } from '../rig/node.ts';
import { onEveryStack, sharedStoreKinds } from '../rig/stacks.ts';
import { window } from './window.ts';

type Limit = { readonly limit: number; readonly base_limit: number; readonly override_id: string };

onEveryStack('overrides', (rig) => {
  const check = { resource: 'GET:/a', subject: 'me' };
  const limitFor = async (key: string, more: object = {}) => {
    const { body } = await rig.client.check(key, { ...check, ...more });
    return (body.limits as Limit[])[0] as Limit;
  };
  const override = (tenantId: string, more: object) =>
    rig.client.change('POST', 'overrides', {
      tenant_id: tenantId,
      limit: 'calls',
      reason: 'a test',
      ...more,
    });

  it('replace numbers from the next check on, the more exact first, and are gone with it', async () => {
    const { id, key } = await rig.client.makeTenant({ limits: [window('calls', 100)] });
    expect(await limitFor(key)).toMatchObject({ limit: 100, override_id: null });
    const all = await override(id, { numbers: { limit: 10 } });
    expect(await limitFor(key)).toMatchObject({
      limit: 10,
      base_limit: 100,
      override_id: all['id'],
    });
    await override(id, { numbers: { limit: 20 }, resource: 'GET:/*' });
    expect((await limitFor(key)).limit).toBe(20);
    await override(id, { numbers: { limit: 30 }, resource: 'GET:/a' });
    expect((await limitFor(key)).limit).toBe(30);
    const mine = await override(id, {
      numbers: { limit: 40 },
      subject: 'me',
      resource: 'GET:/a',
    });
    expect((await limitFor(key)).limit).toBe(40);
    expect((await limitFor(key, { subject: 'you' })).limit).toBe(30);
    await override(id, { numbers: { limit: 50 }, attributes: { team: 'eng', role: 'lead' } });
    const lead = { subject: 'you', attributes: { team: 'eng', role: 'lead' } };
    expect((await limitFor(key, lead)).limit).toBe(50);
    await rig.client.change('PATCH', `overrides/${mine['id']}`, { numbers: { limit: 41 } });
    expect((await limitFor(key)).limit).toBe(41);
    await rig.client.change('DELETE', `overrides/${mine['id']}`);
    expect((await limitFor(key)).limit).toBe(30);
    const cleared = await rig.client.change('DELETE', `overrides?tenant_id=${id}`);
    expect(cleared).toMatchObject({ deleted: 4 });
    expect(await limitFor(key)).toMatchObject({ limit: 100, override_id: null });
  });

  it('keep what was used', async () => {
    const { id, key } = await rig.client.makeTenant({ limits: [window('calls', 3)] });
    const statuses = async (count: number) => {
      const answers: number[] = [];
      for (let call = 0; call < count; call += 1) {
        answers.push((await rig.client.check(key, check)).status);
      }
      return answers;
    };
    expect(await statuses(4)).toEqual([200, 200, 200, 429]);
    const raised = await override(id, { numbers: { limit: 5 } });
    expect(await statuses(3)).toEqual([200, 200, 429]);
    await rig.client.change('DELETE', `overrides/${raised['id']}`);
    expect(await statuses(1)).toEqual([429]);
  });

  it('start and end by themselves, on the first check after', async () => {
    const { id, key } = await rig.client.makeTenant({ limits: [window('calls', 100)] });
    const startsAt = rig.nowMs() + 800;
    const expiresAt = startsAt + 800;
    await override(id, {
      numbers: { limit: 7 },
      starts_at: new Date(startsAt).toISOString(),
      expires_at: new Date(expiresAt).toISOString(),
    });
    expect((await limitFor(key)).limit).toBe(100);
    await sleep(startsAt - rig.nowMs() + 20);
    expect((await limitFor(key)).limit).toBe(7);
    await sleep(expiresAt - rig.nowMs() + 20);
    expect((await limitFor(key)).limit).toBe(100);
  });

  it('raise for a day with a number of seconds', async () => {
    const { id, key } = await rig.client.makeTenant({ limits: [window('calls', 100)] });
    const made = await override(id, { numbers: { limit: 500 }, ttl_seconds: 86_400 });
    const leftMs = new Date(made['expires_at']).getTime() - Date.now();
    expect(Math.abs(leftMs - 86_400_000)).toBeLessThan(60_000);
    expect((await limitFor(key)).limit).toBe(500);
  });

  it('follow a tenant to its next plan, where the names agree', async () => {
    const { id, key } = await rig.client.makeTenant({ limits: [window('calls', 100)] });
    await override(id, { numbers: { limit: 9 } });
    const next = await rig.client.change('POST', 'plans', {
      tenant_id: id,
      name: 'next',
      limits: [window('calls', 1000)],
    });
    await rig.client.change('PATCH', `tenants/${id}`, { plan_id: next['id'] });
    expect(await limitFor(key)).toMatchObject({ limit: 9, base_limit: 1000 });
  });
});

onEveryStack(
  'overrides on two nodes',
  (rig) => {
    const check = { resource: 'GET:/a', subject: 'me' };
    const override = (tenantId: string, more: object) =>
      rig.client.change('POST', 'overrides', {
        tenant_id: tenantId,
        limit: 'calls',
        reason: 'a test',
        ...more,
      });

    it('take effect on every node, however often they change', async () => {
      const other = await startNode(rig.settings);
      try {
        const { id, key } = await rig.client.makeTenant({ limits: [window('calls', 1000)] });
        await other.client.check(key, check);
        const made = await override(id, { numbers: { limit: 1 } });
        for (let limit = 100; limit < 130; limit += 1) {
          await rig.client.change('PATCH', `overrides/${made['id']}`, { numbers: { limit } });
          const { body } = await other.client.check(key, check);
          expect(body.limit).toBe(limit);
        }
      } finally {
        await other.stop();
      }
    });
  },
  { kinds: sharedStoreKinds },
);
