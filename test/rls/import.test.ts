// A folder of the reference service becomes tenants of a running service, by its command line.

import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { rlsPlans } from '../../platform/src/cli/rls-plans.ts';
import type { RateLimitService } from '../../platform/src/rls/ask.ts';
import { onEveryStack } from '../platform/rig/stacks.ts';
import { descriptorOf } from './rig.ts';

/** In front of a node: answers 503 to what begins like this, and passes on the rest. */
async function failingOn(url: string, ...beginnings: readonly string[]): Promise<string> {
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '', headers } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (beginnings.some((one) => `${method} ${path}`.startsWith(one))) {
      response.writeHead(503).end();
      return;
    }
    const { authorization = '', 'content-type': type } = headers;
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization, ...(type && { 'content-type': type }) },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    response.writeHead(answer.status).end(await answer.text());
  };
  const server = createServer((request, response) => void pass(request, response));
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

onEveryStack(
  'a folder that is applied',
  (rig) => {
    let folder = '';
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'sluice-rls-import-'));
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    const put = (domain: string, perMinute: number, more = '') =>
      writeFile(
        join(folder, `${domain}.yaml`),
        `domain: ${domain}\ndescriptors:\n  - { key: subject, rate_limit: { unit: minute, requests_per_unit: ${perMinute} } }\n${more}`,
      );
    const apply = async (url = rig.node.url, token: string = rig.node.service.adminToken) => {
      const lines: string[] = [];
      await rlsPlans(folder, { url, token, say: (line) => lines.push(line) });
      return lines;
    };
    type Named = { readonly id: string; readonly name: string; readonly plan_id: string | null };
    const tenantsNamed = async (name: string): Promise<readonly Named[]> => {
      const { items } = await rig.client.change('GET', `tenants?name_prefix=${name}&limit=100`);
      return (items as readonly Named[]).filter((one) => one.name === name);
    };
    const planOf = async ({ plan_id }: Named) =>
      (await rig.client.change('GET', `plans/${plan_id}`)) as unknown as {
        readonly version: number;
        readonly limits: readonly { readonly limit: number }[];
      };
    const left = async (id: string) => {
      const rls = rig.node.service.rls as RateLimitService;
      const asked = { domain: `tenant:${id}`, descriptors: [descriptorOf('subject=me')] };
      const { isOver, statuses } = await rls.ask(asked);
      return isOver ? 'over' : statuses[0]?.remaining;
    };

    it('is a tenant on its plan for each domain, decided for gateways at once', async () => {
      await put('shop', 2);
      await put('mail', 5);
      const lines = await apply();
      const [shop] = await tenantsNamed('shop');
      const [mail] = await tenantsNamed('mail');
      expect(lines).toEqual([
        `mail: made tenant ${mail?.id} on plan ${mail?.plan_id}; gateways ask for tenant:${mail?.id}`,
        `shop: made tenant ${shop?.id} on plan ${shop?.plan_id}; gateways ask for tenant:${shop?.id}`,
      ]);
      expect([await left(shop?.id ?? ''), await left(shop?.id ?? '')]).toEqual([1, 0]);
      expect(await left(shop?.id ?? '')).toBe('over');
    });

    it('changes what it made when it is applied again, and nothing where nothing changed', async () => {
      await put('again', 2);
      await apply();
      const [made] = (await tenantsNamed('again')) as [Named];
      const { version } = await planOf(made);
      expect(await apply()).toEqual([`again: tenant ${made.id} is on this plan already`]);
      expect((await planOf(made)).version).toBe(version);
      await put('again', 9);
      expect(await apply()).toEqual([`again: changed plan ${made.plan_id} of tenant ${made.id}`]);
      expect((await planOf(made)).limits).toMatchObject([{ limit: 9 }]);
      expect(await left(made.id)).toBe(8);
      await rig.client.change('PATCH', `tenants/${made.id}`, { plan_id: null });
      expect(await apply()).toEqual([
        `again: changed plan ${made.plan_id} and put tenant ${made.id} on it`,
      ]);
      expect(await tenantsNamed('again')).toMatchObject([{ id: made.id, plan_id: made.plan_id }]);
    });

    it('changes nothing at all where one domain can not be said as a plan', async () => {
      await put('good', 2);
      await put(
        'wild',
        2,
        '  - { key: a, value: "x*", rate_limit: { unit: day, requests_per_unit: 1 } }\n',
      );
      await expect(apply()).rejects.toThrow('wild: a_x*: a plan has no wildcards');
      expect(await tenantsNamed('good')).toEqual([]);
    });

    it("leaves others' tenants alone, and says what to do", async () => {
      const { id, planId } = await rig.client.makeTenant({ name: 'taken' });
      await put('taken', 2);
      await expect(apply()).rejects.toThrow(
        `taken: tenant ${id} has this name and no plan of this name: nothing was changed`,
      );
      expect(await tenantsNamed('taken')).toMatchObject([{ id, plan_id: planId }]);
      await rig.client.makeTenant({ name: 'taken' });
      await expect(apply()).rejects.toThrow('taken: 2 tenants have this name: nothing was changed');
      await put('moved', 2);
      await rm(join(folder, 'taken.yaml'));
      await apply();
      const [moved] = (await tenantsNamed('moved')) as [Named];
      const limits = [{ name: 'a', algorithm: 'fixed_window', limit: 1, window_seconds: 1 }];
      const other = await rig.client.change('POST', 'plans', {
        tenant_id: moved.id,
        name: 'other',
        limits,
      });
      await rig.client.change('PATCH', `tenants/${moved.id}`, { plan_id: other.id });
      await put('moved', 3);
      await expect(apply()).rejects.toThrow(`moved: tenant ${moved.id} is on another plan`);
      expect((await planOf(moved)).limits).toMatchObject([{ limit: 2 }]);
    });

    it('leaves nothing half done where the service fails on the way', async () => {
      await put('half', 2);
      const proxy = await failingOn(rig.node.url, 'POST /v1/admin/plans');
      await expect(apply(proxy)).rejects.toThrow(/^half: the service answered 503$/);
      expect(await tenantsNamed('half')).toEqual([]);
      await apply();
      const [made] = (await tenantsNamed('half')) as [Named];
      await rig.client.change('PATCH', `tenants/${made.id}`, { plan_id: null });
      await put('half', 7);
      const other = await failingOn(rig.node.url, `PATCH /v1/admin/tenants/${made.id}`);
      await expect(apply(other)).rejects.toThrow(/^half: the service answered 503$/);
      expect((await planOf(made)).limits).toMatchObject([{ limit: 2 }]);
    });

    it('says what is left behind where it can not be taken back', async () => {
      await put('stuck', 2);
      const proxy = await failingOn(rig.node.url, 'POST /v1/admin/plans', 'DELETE ');
      await expect(apply(proxy)).rejects.toThrow(/^stuck: .*503; tenant [\w-]+ was left behind/);
    });

    it('is refused without a token, with a wrong one, and where nobody answers', async () => {
      await put('nobody', 2);
      await expect(apply(rig.node.url, '')).rejects.toThrow('set SLUICE_ADMIN_TOKEN');
      await expect(apply(rig.node.url, 'wrong')).rejects.toThrow(
        /^nobody: the service answered 401: /,
      );
      await expect(apply('127.0.0.1')).rejects.toThrow('--apply takes an address');
      await expect(apply('http://127.0.0.1:1')).rejects.toThrow(/^nobody: no answer from http:/);
      expect(await tenantsNamed('nobody')).toEqual([]);
    });
  },
  {
    settings: { SLUICE_RLS_TENANTS: 'on', SLUICE_RLS_DEADLINE_MS: '5000' },
    kinds: ['embedded, memory'],
  },
);
