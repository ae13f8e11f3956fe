import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChildNode } from './rig/child-node.ts';
import { Load } from './rig/load.ts';
import { startNode } from './rig/node.ts';
import { makeStack, type Stack } from './rig/stacks.ts';

describe('SIGTERM under load', () => {
  let stack: Stack;
  let node: ChildNode;

  beforeEach(async () => {
    stack = await makeStack('PostgreSQL, Redis');
    node = await ChildNode.start({ ...stack.settings, SLUICE_DRAIN_SECONDS: '1' });
  });

  afterEach(async () => {
    if (node.isRunning) await node.end('SIGKILL');
    await stack.remove();
  });

  it('drops nothing, is not ready at once, and ends with 0 in time', async () => {
    const { key, keyId } = await node.client.makeTenant();
    const load = Load.start(node.url, key, { connections: 16 });
    await load.untilAnswered(500);
    const signalledMs = Date.now();
    node.signal('SIGTERM');
    expect(await node.ended).toEqual({ code: 0, signal: null });
    expect(Date.now() - signalledMs).toBeLessThan(10_000);
    const { failed, answered, notReadyAtMs } = await load.stop();
    expect(failed).toEqual([]);
    expect(answered).toBeGreaterThan(500);
    expect(Number(notReadyAtMs) - signalledMs).toBeLessThan(1000);

    // What was only in memory was written: who comes next finds it.
    const next = await ChildNode.start(stack.settings);
    const { body } = await next.client.admin('GET', `keys/${keyId}`);
    expect(body['last_used_at']).not.toBe(null);
    const usage = await next.client.get('/v1/usage', { 'x-api-key': await usageKey(next, keyId) });
    const { points } = usage.body['usage'] as { points: { allowed: number }[] };
    expect(points.reduce((sum, point) => sum + point.allowed, 0)).toBe(answered);
    await next.end();
  });

  it('twice ends at once', async () => {
    const slow = await ChildNode.start({ ...stack.settings, SLUICE_DRAIN_SECONDS: '60' });
    const startedMs = Date.now();
    slow.signal('SIGTERM');
    await expect
      .poll(async () => (await slow.client.get('/v1/ready')).status, { timeout: 5000 })
      .toBe(503);
    slow.signal('SIGINT');
    expect((await slow.ended).signal).toBe(null);
    expect(Date.now() - startedMs).toBeLessThan(20_000);
  });

  async function usageKey(next: ChildNode, keyId: string): Promise<string> {
    const { body } = await next.client.admin('GET', `keys/${keyId}`);
    const tenantId = body['tenant_id'];
    const scopes = ['usage'];
    const made = { tenant_id: tenantId, name: 'usage', scopes };
    return (await next.client.change('POST', 'keys', made))['key'];
  }
});

describe('a node that cannot start', () => {
  it('says why and ends, whatever it had opened by then', async () => {
    const [stack, servers] = [
      await makeStack('embedded, memory'),
      await makeStack('PostgreSQL, Redis'),
    ];
    const first = await startNode(stack.settings);
    const { port } = new URL(first.url);
    const cases = [
      [{ ...stack.settings }, /in use|another process|locked/i],
      [{ SLUICE_DATABASE_URL: 'postgres://127.0.0.1:1/none' }, /ECONNREFUSED/],
      [{ SLUICE_LOG_LEVEL: 'loud' }, /SLUICE_LOG_LEVEL/],
      [{ ...servers.settings, SLUICE_HTTP_ADDR: `127.0.0.1:${port}` }, /EADDRINUSE/],
    ] as const;
    const nodes = cases.map(([settings]) => ChildNode.spawn(settings));
    for (const [at, [, said]] of cases.entries()) {
      const node = nodes[at] as ChildNode;
      expect((await node.ended).code).toBe(1);
      expect(node.output).toMatch(said);
    }
    await first.stop();
    await Promise.all([stack.remove(), servers.remove()]);
  });
});
