// Who is over, remembered by a whole node: switched on by its setting, told in metrics, forgotten with Redis.

import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { DoorClient } from '../envoy/rig.ts';
import { startNode, type RunningNode } from '../platform/rig/node.ts';
import { makeStack, type Stack } from '../platform/rig/stacks.ts';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';
import { FaultProxy } from '../support/fault-proxy.ts';

const rules = `domain: shop
descriptors: [{ key: user, rate_limit: { unit: year, requests_per_unit: 1 } }]
`;

let folder = '';
let stack: Stack;
let proxy: FaultProxy;
let node: RunningNode;

beforeAll(async () => {
  folder = await createTemporaryFolder('local-cache');
  await writeFile(`${folder}/shop.yaml`, rules);
  stack = await makeStack('PostgreSQL, Redis');
  proxy = await FaultProxy.start(Number(new URL(inject('redisUrl')).port));
  node = await startNode({
    ...stack.settings,
    SLUICE_REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
    SLUICE_RLS_CONFIG_DIR: folder,
    SLUICE_RLS_DEADLINE_MS: '5000',
    SLUICE_RLS_LOCAL_CACHE_BYTES: '100000',
  });
});

afterAll(async () => {
  await node.stop();
  await proxy.stop();
  await stack.remove();
  await removeFolder(folder);
});

const patience = { timeout: 40_000, interval: 20 };

it('A3 a node answers by itself who is over, until it lost Redis: that may have forgotten', async () => {
  const gateway = new DoorClient(`127.0.0.1:${node.service.grpcPort}`);
  const code = async (value: string) => {
    const descriptors = [{ entries: [{ key: 'user', value }] }];
    return (await gateway.ask({ domain: 'shop', descriptors })).overallCode;
  };
  const figures = async () => {
    const { text } = await node.client.get('/metrics');
    const figure = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
    const labels = '\\{domain="shop",key1="user",key2=""\\}';
    return {
      unasked: figure(`ratelimit_service_rate_limit_over_limit_with_local_cache${labels}`),
      hits: figure('ratelimit_localcache_hitCount'),
      entries: figure('ratelimit_localcache_entryCount'),
    };
  };
  const ann = `ann of ${stack.settings['SLUICE_DATABASE_URL']}`;
  // Again where a busy machine kept Redis waiting: then a gateway is let pass.
  const untilOver = async () => {
    expect(await code(ann)).toBe('OVER_LIMIT');
    expect(await code(ann)).toBe('OVER_LIMIT');
    const { unasked, hits, entries } = await figures();
    expect([unasked, entries]).toEqual([hits, 1]);
    expect(hits).toBeGreaterThan(0);
  };
  expect(await code(ann)).toBe('OK');
  await vi.waitFor(untilOver, patience);
  proxy.fault = { kind: 'reset_on_reply' };
  await code(`bob, friend of ${ann}`);
  proxy.fault = { kind: 'pass' };
  let newcomers = 0;
  const untilForgotten = async () => {
    // Figures are told with the next request, of one who is not over.
    expect(await code(`newcomer ${(newcomers += 1)} to ${ann}`)).toBe('OK');
    expect((await figures()).entries).toBe(0);
  };
  await vi.waitFor(untilForgotten, patience);
  await vi.waitFor(untilOver, patience);
});
