// The service on a Redis that three sentinels watch over.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRedis } from '../../servers/connect.ts';
import {
  masterName,
  type RedisSentinel,
  startRedisSentinel,
} from '../../servers/redis-sentinel.ts';
import type { MadeTenant } from '../rig/client.ts';
import { askOnce, openLimit, untilDegraded, untilExact } from './rig/asking.ts';
import { type NodeOn, startNodeOn } from './rig/node-on.ts';

let servers: RedisSentinel;
let node: NodeOn;
let tenant: MadeTenant;

beforeAll(async () => {
  servers = await startRedisSentinel();
  node = await startNodeOn(servers.url, { SLUICE_STORE_DEADLINE_MS: '500' });
  tenant = await node.client.makeTenant({ limits: [openLimit] });
});

afterAll(async () => {
  await node?.stop();
  await servers?.stop();
});

/** Who it is by the word of a sentinel. */
async function primaryPort(): Promise<number> {
  const sentinel = openRedis(`redis://127.0.0.1:${servers.sentinelPorts[0]}`);
  try {
    const reply = await sentinel.call('SENTINEL', 'get-master-addr-by-name', masterName);
    return Number((reply as string[])[1]);
  } finally {
    sentinel.disconnect();
  }
}

async function countersOn(port: number): Promise<number> {
  const redis = openRedis(`redis://127.0.0.1:${port}`);
  try {
    return (await redis.keys('sl1:*')).length;
  } finally {
    redis.disconnect();
  }
}

test('a planned failover moves it to the new primary, and nobody is refused', async () => {
  expect(await askOnce(node.client, tenant)).toBe('exact');
  expect(await primaryPort()).toBe(servers.primary.port);
  const sentinel = openRedis(`redis://127.0.0.1:${servers.sentinelPorts[0]}`);
  await sentinel.call('SENTINEL', 'failover', masterName);
  sentinel.disconnect();
  await expect
    .poll(
      async () => {
        await askOnce(node.client, tenant);
        return primaryPort();
      },
      { timeout: 30_000 },
    )
    .not.toBe(servers.primary.port);
  await untilExact(node.client, tenant);
  expect(await countersOn(await primaryPort())).toBeGreaterThan(0);
});

test('a primary that is killed is replaced, and decisions are exact again', async () => {
  await untilExact(node.client, tenant);
  const port = await primaryPort();
  const server = [servers.primary, ...servers.replicas].find((one) => one.port === port);
  const startMs = performance.now();
  await server?.stop();
  await untilDegraded(node.client, tenant);
  await untilExact(node.client, tenant);
  const backMs = performance.now() - startMs;
  expect(await primaryPort()).not.toBe(port);
  console.log(
    `T28          exact again ${backMs.toFixed(0)} ms after the primary was killed (target 4000)`,
  );
});
