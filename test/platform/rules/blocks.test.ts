import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startNode } from '../rig/node.ts';
import { onEveryStack, sharedStoreKinds } from '../rig/stacks.ts';
import { window } from './window.ts';

onEveryStack('blocks', (rig) => {
  const block = (fields: object) =>
    rig.client.change('POST', 'blocks', { reason: 'a test', ...fields });
  const ask = (key: string, more: object = {}) =>
    rig.client.check(key, { resource: 'GET:/a', subject: 'me', ...more });

  it('shut out a subject, an address range, an attribute value or a key at once', async () => {
    const { id, key, keyId } = await rig.client.makeTenant();
    const other = await rig.client.change('POST', 'keys', { tenant_id: id, name: 'other' });
    const cases: [object, object, string][] = [
      [{ subject: 'me' }, {}, 'me'],
      [{ ip: '203.0.113.77/24' }, { attributes: { ip: '203.0.113.9' } }, '203.0.113.0/24'],
      [
        { attribute: { name: 'country', value: 'XX' } },
        { attributes: { country: 'XX' }, subject: 'you' },
        'XX',
      ],
      [{ key_id: keyId }, { subject: 'you' }, keyId],
    ];
    for (const [whom, call, entity] of cases) {
      expect((await ask(key, call)).status).toBe(200);
      const made = await block({ tenant_id: id, ...whom });
      const { status, body, headers } = await ask(key, call);
      expect(status).toBe(429);
      expect(body).toMatchObject({
        allowed: false,
        limit: null,
        basis: 'exact',
        blocked_by: { limit: null, entity, reason: 'blocked' },
      });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      const another = { subject: 'somebody', attributes: { ip: '198.51.100.1' } };
      expect((await ask(other['key'], another)).status).toBe(200);
      await rig.client.change('DELETE', `blocks/${made['id']}`);
      expect((await ask(key, call)).status).toBe(200);
    }
  });

  it('charge nothing, refuse peeks, and are counted as refusals', async () => {
    const { id, key } = await rig.client.makeTenant({ limits: [window('calls', 5)] });
    await ask(key);
    const made = await block({ tenant_id: id, subject: 'me' });
    for (let call = 0; call < 10; call += 1) await ask(key);
    expect((await ask(key, { cost: 0 })).status).toBe(429);
    await rig.client.change('DELETE', `blocks/${made['id']}`);
    expect((await ask(key)).body).toMatchObject({ allowed: true, remaining: 3 });
  });

  it('let one bypass the limits, but not a block', async () => {
    const { id, key } = await rig.client.makeTenant({ limits: [window('calls', 1)] });
    expect([(await ask(key)).status, (await ask(key)).status]).toEqual([200, 429]);
    const bypass = await block({ tenant_id: id, subject: 'me', action: 'bypass' });
    for (let call = 0; call < 3; call += 1) {
      expect((await ask(key)).body).toMatchObject({ allowed: true, limit: null });
    }
    const out = await block({ tenant_id: id, attribute: { name: 'vip', value: 'no' } });
    expect((await ask(key, { attributes: { vip: 'no' } })).status).toBe(429);
    await rig.client.change('DELETE', `blocks/${out['id']}`);
    await rig.client.change('DELETE', `blocks/${bypass['id']}`);
    expect((await ask(key)).status).toBe(429);
  });

  it('end by themselves, and say when', async () => {
    const { id, key } = await rig.client.makeTenant();
    const expiresAt = rig.nowMs() + 1500;
    await block({
      tenant_id: id,
      subject: 'me',
      expires_at: new Date(expiresAt).toISOString(),
    });
    const { status, body } = await ask(key);
    expect(status).toBe(429);
    const retryAfterMs = body.retry_after_ms as number;
    expect(retryAfterMs).toBeGreaterThan(0);
    expect(retryAfterMs).toBeLessThanOrEqual(1500);
    await sleep(expiresAt - rig.nowMs() + 20);
    expect((await ask(key)).status).toBe(200);
  });

  it('of all tenants reach every tenant', async () => {
    const tenants = [await rig.client.makeTenant(), await rig.client.makeTenant()];
    const subject = `abuser ${randomUUID()}`;
    const made = await block({ subject });
    await rig.client.published();
    for (const { key } of tenants) {
      expect((await ask(key, { subject })).status).toBe(429);
      expect((await ask(key)).status).toBe(200);
    }
    await rig.client.change('DELETE', `blocks/${made['id']}`);
    await rig.client.published();
    for (const { key } of tenants) expect((await ask(key, { subject })).status).toBe(200);
  });

  it('of a whole tenant are its suspension', async () => {
    const { id, key } = await rig.client.makeTenant();
    await rig.client.change('PATCH', `tenants/${id}`, { status: 'suspended' });
    expect(await ask(key)).toMatchObject({ status: 403, body: { code: 'tenant_suspended' } });
    await rig.client.change('PATCH', `tenants/${id}`, { status: 'active' });
    expect((await ask(key)).status).toBe(200);
  });
});

onEveryStack(
  'blocks on two nodes',
  (rig) => {
    const block = (fields: object) =>
      rig.client.change('POST', 'blocks', { reason: 'a test', ...fields });

    it('hold on every node on its next check', async () => {
      const other = await startNode(rig.settings);
      try {
        const { id, key } = await rig.client.makeTenant();
        const there = () => other.client.check(key, { resource: 'GET:/a', subject: 'me' });
        expect((await there()).status).toBe(200);
        for (let turn = 0; turn < 20; turn += 1) {
          const made = await block({ tenant_id: id, subject: 'me' });
          expect((await there()).status).toBe(429);
          await rig.client.change('DELETE', `blocks/${made['id']}`);
          expect((await there()).status).toBe(200);
        }
      } finally {
        await other.stop();
      }
    });
  },
  { kinds: sharedStoreKinds },
);
