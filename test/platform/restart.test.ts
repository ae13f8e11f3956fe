import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listed } from './admin/world.ts';
import { ChildNode } from './rig/child-node.ts';
import type { MadeTenant, NodeClient } from './rig/client.ts';
import { makeStack, onEveryStack, type Stack } from './rig/stacks.ts';

const body = { resource: 'GET:/orders', subject: 'ann' };
const window = { name: 'w', algorithm: 'fixed_window', limit: 1000, window_seconds: 60 };

/** Something of every noun. */
async function makeAll(client: NodeClient): Promise<MadeTenant> {
  const tenant = await client.makeTenant({ limits: [window] });
  await client.change('POST', 'plans', { name: `shared-${tenant.id}`, limits: [window] });
  await client.change('POST', 'policies', { tenant_id: tenant.id, resource: 'GET:/*', cost: 7 });
  const ofTenant = { tenant_id: tenant.id };
  const numbers = { limit: 2000 };
  await client.change('POST', 'overrides', { ...ofTenant, limit: 'w', numbers, reason: 'kept' });
  await client.change('POST', 'blocks', { ...ofTenant, subject: 'mallory', reason: 'kept' });
  await client.change('PUT', 'modes', { ...ofTenant, scope: 'tenant', mode: 'enforce' });
  await client.change('POST', 'tokens', { name: 'viewer', role: 'viewer', tenant_id: tenant.id });
  await client.change('POST', `keys/${tenant.keyId}/rotate`, {});
  await client.change('PUT', `quotas/${tenant.id}`, { limit: 9, teams: { eng: { limit: 5 } } });
  await client.change('POST', `quotas/${tenant.id}/top-up`, { amount: 5, reason: 'a launch' });
  const hook = { tenant_id: tenant.id, url: 'https://hooks.invalid', events: ['quota.threshold'] };
  await client.change('POST', 'webhooks', hook);
  await client.change('PATCH', `tenants/${tenant.id}`, { name: 'renamed', timezone: 'Asia/Tokyo' });
  return tenant;
}

/** All that is configured, as the API shows it. When keys were used is written later. */
async function readAll(client: NodeClient): Promise<string> {
  const texts: string[] = [];
  for (const noun of listed) {
    const { status, text } = await client.admin('GET', `${noun}?limit=100`);
    expect(status).toBe(200);
    texts.push(text);
  }
  return texts
    .join('\n')
    .replaceAll(/"last_used_at":("[^"]*"|null)/g, '')
    .replaceAll(/"(done|total)":(\d+|null)|"finished_at":("[^"]*"|null)/g, '');
}

onEveryStack(
  'a restart',
  (rig) => {
    it('keeps tenants, keys, plans, policies, tokens, audit, demo key and admin token', async () => {
      const tenant = await makeAll(rig.client);
      const before = await readAll(rig.client);
      const { adminToken, demo } = rig.node.service;
      expect((await rig.client.check(tenant.key, body)).body['cost']).toBe(7);
      await rig.restart();
      expect(rig.node.service.adminToken).toBe(adminToken);
      expect(rig.node.service.demo).toEqual(demo);
      expect(await readAll(rig.client)).toBe(before);
      expect((await rig.client.check(tenant.key, body)).body['cost']).toBe(7);
      expect((await rig.client.check(demo?.key ?? '', body)).status).toBe(200);
    });
  },
  // No receipt of the check in between: by chance there would be one.
  { settings: { SLUICE_DEMO: 'on', SLUICE_RECEIPT_SAMPLE: '0' } },
);

describe.each(['embedded, memory', 'PostgreSQL, Redis'] as const)('kill -9 (%s)', (kind) => {
  let stack: Stack;
  const started: ChildNode[] = [];

  beforeEach(async () => {
    stack = await makeStack(kind);
  });

  afterEach(async () => {
    for (const node of started.filter(({ isRunning }) => isRunning)) await node.end('SIGKILL');
    await stack.remove();
  });

  async function start(): Promise<ChildNode> {
    const node = await ChildNode.start({ ...stack.settings, SLUICE_DEMO: 'on' });
    started.push(node);
    return node;
  }

  it('loses nothing that was answered', async () => {
    const first = await start();
    const tenant = await makeAll(first.client);
    const before = await readAll(first.client);
    const last = await first.client.change('POST', 'tenants', { name: 'the very last' });
    expect(await first.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });

    const second = await start();
    expect(second.adminToken).toBe(first.adminToken);
    const found = await second.client.admin('GET', `tenants/${last['id']}`);
    expect(found.status).toBe(200);
    await second.client.change('DELETE', `tenants/${last['id']}`);
    const after = await readAll(second.client);
    for (const line of before.split('\n').filter((text) => !text.includes('"action"'))) {
      expect(after).toContain(line);
    }
    expect((await second.client.check(tenant.key, body)).body['cost']).toBe(7);
    const demoKey = /demo key +(\S+)/.exec(first.output)?.[1] ?? '';
    expect(second.output).toContain(demoKey);
    expect((await second.client.check(demoKey, body)).status).toBe(200);
  });
});
