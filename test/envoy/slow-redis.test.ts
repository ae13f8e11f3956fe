// A gateway does not wait for a Redis that is slow, and is answered by policy.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startNode, type RunningNode } from '../platform/rig/node.ts';
import { makeStack, type Stack } from '../platform/rig/stacks.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { DoorClient } from './rig.ts';

const rules = `domain: shop
descriptors:
  - { key: open, rate_limit: { unit: day, requests_per_unit: 5 } }
  - { key: closed, sluice: { algorithm: fixed_window, limit: 5, window_seconds: 3600, on_store_failure: closed } }
  - { key: watched, shadow_mode: true, sluice: { algorithm: fixed_window, limit: 5, window_seconds: 3600, on_store_failure: closed } }
`;

/** Far longer than a gateway of this rig waits for its answer. */
const longMs = 5000;

let folder = '';
let stack: Stack;
let proxy: FaultProxy;
let node: RunningNode;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-slow-redis-'));
  await writeFile(join(folder, 'shop.yaml'), rules);
  stack = await makeStack('PostgreSQL, Redis');
  proxy = await FaultProxy.start(Number(new URL(inject('redisUrl')).port));
  node = await startNode({
    ...stack.settings,
    SLUICE_REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
    SLUICE_RLS_CONFIG_DIR: folder,
    SLUICE_RLS_TENANTS: 'on',
    // Less than what a silent server is given up after, and time enough on a busy machine.
    SLUICE_RLS_DEADLINE_MS: '900',
    // What checks over HTTP wait is not what gateways wait.
    SLUICE_STORE_DEADLINE_MS: String(longMs),
  });
});

afterAll(async () => {
  proxy.fault = { kind: 'pass' };
  await node.stop();
  await proxy.stop();
  await stack.remove();
  await rm(folder, { recursive: true, force: true });
});

it('lets pass, or refuses where that is the policy, and tells of both', async () => {
  const gateway = new DoorClient(`127.0.0.1:${node.service.grpcPort}`);
  const limit = { name: 'calls', algorithm: 'fixed_window', limit: 9, window_seconds: 3600 };
  const limits = [{ ...limit, per: ['tenant'], on_store_failure: 'closed' }];
  const { id } = await node.client.makeTenant({ limits });
  const codeOf = async (key: string, domain = 'shop') => {
    const descriptors = [{ entries: [{ key, value: 'x' }] }];
    return (await gateway.ask({ domain, descriptors })).overallCode;
  };
  const keys = ['open', 'closed', 'watched'];
  // At once: when Redis has been silent for a second, a tenant's rules are to be confirmed first.
  const all = () =>
    Promise.all([...keys.map((key) => codeOf(key)), codeOf('subject', `tenant:${id}`)]);
  expect(await all()).toEqual(['OK', 'OK', 'OK', 'OK']);
  expect((await node.client.get('/metrics')).text).not.toMatch(/^rl_degraded_total/m);
  proxy.fault = { kind: 'delay', ms: longMs };
  expect(await all()).toEqual(['OK', 'OVER_LIMIT', 'OK', 'OVER_LIMIT']);
  const { text } = await node.client.get('/metrics');
  const degraded = (basis: string) => new RegExp(`^rl_degraded_total{basis="${basis}",.*} 2$`, 'm');
  expect(text).toMatch(degraded('fail_open'));
  expect(text).toMatch(degraded('fail_closed'));
  expect(text).toMatch(
    /^ratelimit_service_should_rate_limit_error\{err_type="redis_error"\} [34]$/m,
  );
});
