import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RateLimitService } from '../../platform/src/rls/ask.ts';
import { makeStack, onEveryStack, type Stack } from '../platform/rig/stacks.ts';
import { startNode, type RunningNode } from '../platform/rig/node.ts';
import { window } from '../platform/rules/window.ts';
import { descriptorOf, type Asked } from './rig.ts';

const rlsOf = (node: RunningNode) => node.service.rls as RateLimitService;

async function codesOf(rls: RateLimitService, domain: string, asked: readonly Asked[]) {
  const { isOver, statuses } = await rls.ask({ domain, descriptors: asked.map(descriptorOf) });
  const codes = statuses.map((one) => `${one.isOver ? 'over' : 'ok'} ${one.remaining}`);
  return [...codes, isOver ? 'OVER' : 'OK'].join(', ');
}

onEveryStack(
  'a domain that is a tenant',
  (rig) => {
    const ask = (id: string, ...asked: readonly Asked[]) =>
      codesOf(rlsOf(rig.node), `tenant:${id}`, asked);
    const make = (limits: readonly object[]) => rig.client.makeTenant({ limits });

    it('is decided by its plan, together with its checks over HTTP', async () => {
      const { id, key } = await make([window('calls', 3, { per: ['tenant'] })]);
      expect(await ask(id, 'subject=me,resource=GET:/a')).toBe('ok 2, OK');
      await rig.client.check(key, { resource: 'GET:/a', subject: 'me' });
      expect(await ask(id, 'subject=me')).toBe('ok 0, OK');
      expect(await ask(id, 'subject=me')).toBe('over 0, OVER');
      expect((await rig.client.check(key, { resource: 'GET:/a', subject: 'me' })).status).toBe(429);
    });

    it('counts subject, resource and attributes as what they are in a check', async () => {
      const { id } = await make([
        window('of-subject', 1, { per: ['tenant', 'subject'] }),
        window('of-path', 2, { per: ['tenant', 'resource'] }),
        window('of-region', 9, { per: ['tenant', 'attributes.region'] }),
      ]);
      expect(await ask(id, 'subject=a,resource=GET:/x/,region=eu')).toBe('ok 0, OK');
      expect(await ask(id, 'subject=a,resource=GET:/y,region=eu')).toBe('over 0, OVER');
      expect(await ask(id, 'subject=b,resource=GET:/x,region=eu')).toBe('ok 0, OK');
      expect(await ask(id, 'subject=c,resource=GET:/x,region=eu')).toBe('over 0, OVER');
    });

    it('decides several descriptors in one question: a refusal charges none', async () => {
      const { id } = await make([
        window('of-subject', 2, { per: ['tenant', 'subject'] }),
        window('of-all', 10, { per: ['tenant'] }),
      ]);
      expect(await ask(id, 'subject=a', 'subject=b')).toBe('ok 1, ok 1, OK');
      await ask(id, 'subject=a');
      expect(await ask(id, 'subject=a', 'subject=b')).toBe('over 0, ok 1, OVER');
      expect(await ask(id, 'subject=b')).toBe('ok 0, OK');
      // Three calls so far passed, of four descriptors in all.
      expect(await ask(id, { entries: 'subject=c', hits: 2 })).toBe('ok 0, OK');
      expect(await ask(id, { entries: 'subject=d', hits: 2 })).toBe('ok 0, OK');
      expect(await ask(id, 'subject=e', 'subject=f')).toBe('ok 0, ok 0, OK');
      expect(await ask(id, 'subject=g')).toBe('over 0, OVER');
    });

    it('hears of a change with the next request', async () => {
      const { id } = await make([window('calls', 1, { per: ['tenant'] })]);
      await ask(id, 'subject=me');
      expect(await ask(id, 'subject=me')).toBe('over 0, OVER');
      await rig.client.change('PUT', 'modes', { scope: 'tenant', tenant_id: id, mode: 'shadow' });
      expect(await ask(id, 'subject=me')).toMatch(/OK$/);
    });

    it('is over for whom it has shut out, and for nobody else', async () => {
      const { id } = await make([window('calls', 10, { per: ['tenant'] })]);
      await rig.client.change('POST', 'blocks', { tenant_id: id, subject: 'bad', reason: 'test' });
      expect(await ask(id, 'subject=bad')).toBe('over 0, OVER');
      expect(await ask(id, 'subject=good', 'subject=bad')).toMatch(/^ok \d+, over 0, OVER$/);
      expect(await ask(id, 'subject=good')).toBe('ok 9, OK');
    });

    it('has no slots to give, for a gateway would not give them back', async () => {
      const { id } = await make([
        { name: 'open', algorithm: 'concurrency', max_concurrent: 1, stale_after_seconds: 60 },
        window('calls', 10, { per: ['tenant'] }),
      ]);
      expect(await ask(id, 'subject=me')).toBe('ok 9, OK');
      expect(await ask(id, 'subject=me')).toBe('ok 8, OK');
    });

    it('gives back, and counts what came after the response though it did not fit', async () => {
      const { id } = await make([window('calls', 10, { per: ['tenant'] })]);
      await ask(id, { entries: 'subject=me', hits: 4 });
      await ask(id, { entries: 'subject=me', hits: 3, isRefund: true });
      expect(await ask(id, { entries: 'subject=me', hits: 0 })).toBe('ok 9, OK');
      await ask(id, { entries: 'subject=me', hits: 11 });
      expect(await ask(id, { entries: 'subject=me', hits: 0 })).toBe('over 0, OVER');
    });

    it('that nobody made has no rules; one that is suspended lets nothing pass', async () => {
      const nobody = '00000000-0000-7000-8000-000000000000';
      expect(await ask(nobody, 'subject=me')).toBe('ok 0, OK');
      const { id } = await make([window('calls', 10)]);
      await rig.client.change('PATCH', `tenants/${id}`, { status: 'suspended' });
      expect(await ask(id, 'subject=me')).toBe('over 0, OVER');
    });

    it('refuses what no check could ask, and charges nothing', async () => {
      const { id } = await make([window('calls', 10, { per: ['tenant'] })]);
      const refused = async (asked: Asked) =>
        expect(ask(id, 'subject=me', asked)).rejects.toMatchObject({ code: 'invalid' });
      await refused('subject=me,subject=you');
      await refused('subject=');
      await refused('bad name=x');
      await refused({ entries: 'subject=me', limit: { requestsPerUnit: 1, unit: 'DAY' } });
      expect(await ask(id, 'subject=me')).toBe('ok 9, OK');
    });
  },
  {
    settings: { SLUICE_RLS_TENANTS: 'on', SLUICE_RLS_DEADLINE_MS: '5000' },
    kinds: ['embedded, memory', 'PostgreSQL, Redis'],
  },
);

describe('a node with a folder of rules', () => {
  let folder = '';
  let stack: Stack | undefined;
  let node: RunningNode | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-rls-node-'));
    stack = await makeStack('PostgreSQL, Redis');
    node = await startNode({
      ...stack.settings,
      SLUICE_RLS_CONFIG_DIR: folder,
      SLUICE_RLS_DEADLINE_MS: '5000',
    });
  });
  afterAll(async () => {
    await node?.stop();
    await stack?.remove();
    await rm(folder, { recursive: true, force: true });
  });
  const running = () => node as RunningNode;
  const ask = (...asked: readonly Asked[]) => codesOf(rlsOf(running()), 'reload', asked);

  it('A7, C8 begins with nothing, and serves a file when it comes', async () => {
    expect(rlsOf(running()).isLoaded).toBe(false);
    expect(await ask('key1=x')).toBe('ok 0, OK');
    const rule = '{ key: key1, rate_limit: { unit: day, requests_per_unit: 50 } }';
    await writeFile(join(folder, 'reload.yaml'), `domain: reload\ndescriptors: [${rule}]\n`);
    await vi.waitFor(() => expect(rlsOf(running()).isLoaded).toBe(true), { timeout: 5000 });
    expect(await ask('key1=x')).toBe('ok 49, OK');
    const metrics = await (await fetch(`${running().url}/metrics`)).text();
    expect(metrics).toMatch(/^ratelimit_service_config_load_success 2$/m);
    expect(metrics).toContain(
      'ratelimit_service_rate_limit_total_hits{domain="reload",key1="key1",key2=""} 1',
    );
  });

  it('C2 keeps it when the next can not be used, and logs where and why', async () => {
    await writeFile(join(folder, 'bad.yaml'), 'domain: bad\ndescriptors:\n  - value: x\n');
    await vi.waitFor(
      () => expect(running().log()).toContain('bad.yaml:3: descriptor has empty key'),
      {
        timeout: 5000,
      },
    );
    expect(await ask('key1=x')).toBe('ok 48, OK');
    await unlink(join(folder, 'bad.yaml'));
  });

  it('does not take a tenant for a domain unless told to', async () => {
    const { id } = await running().client.makeTenant({ limits: [window('calls', 1)] });
    const domain = `tenant:${id}`;
    expect(await codesOf(rlsOf(running()), domain, ['subject=me'])).toBe('ok 0, OK');
  });
});
