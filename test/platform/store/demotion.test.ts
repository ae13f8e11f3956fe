// A primary becomes a replica while the service is connected to it, and stays so.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRedis } from '../../servers/connect.ts';
import { type RedisServer, startRedis } from '../../servers/redis.ts';
import type { MadeTenant } from '../rig/client.ts';
import { askOnce, openLimit, untilDegraded, untilExact } from './rig/asking.ts';
import { Forwarder } from './rig/forwarder.ts';
import { type NodeOn, startNodeOn } from './rig/node-on.ts';

let first: RedisServer;
let second: RedisServer;
let forwarder: Forwarder;
let node: NodeOn;
let tenant: MadeTenant;

beforeAll(async () => {
  first = await startRedis();
  second = await startRedis({ settings: ['--replicaof', '127.0.0.1', String(first.port)] });
  forwarder = await Forwarder.start(first.port);
  node = await startNodeOn(`redis://127.0.0.1:${forwarder.port}`, {
    SLUICE_STORE_DEADLINE_MS: '500',
  });
  tenant = await node.client.makeTenant({ limits: [openLimit] });
});

afterAll(async () => {
  await node?.stop();
  await forwarder?.stop();
  await Promise.all([first?.stop(), second?.stop()]);
});

async function tell(server: RedisServer, ...command: readonly [string, ...string[]]) {
  const redis = openRedis(server.url);
  try {
    await redis.call(...command);
  } finally {
    redis.disconnect();
  }
}

async function roleOf(server: RedisServer): Promise<string> {
  const redis = openRedis(server.url);
  try {
    return /role:(\w+)/.exec(await redis.info('replication'))?.[1] ?? '';
  } finally {
    redis.disconnect();
  }
}

test('the service goes to whom the address names now', async () => {
  expect(await askOnce(node.client, tenant)).toBe('exact');
  forwarder.targetPort = second.port;
  const startMs = performance.now();
  await tell(first, 'FAILOVER', 'TO', '127.0.0.1', String(second.port));
  await expect.poll(() => roleOf(first), { interval: 10 }).toBe('slave');
  await untilExact(node.client, tenant);
  const backMs = performance.now() - startMs;
  expect(await roleOf(second)).toBe('master');
  // The same window goes on: what was counted before is still counted.
  const { body } = await node.client.check(tenant.key, { resource: 'GET:/orders', subject: 'ann' });
  expect(body).toMatchObject({ basis: 'exact' });
  console.log(
    `T29          writes succeed ${backMs.toFixed(0)} ms after the demotion began (target 2000)`,
  );
});

test('while the address names a replica, each limit decides by its policy', async () => {
  await untilExact(node.client, tenant);
  await tell(second, 'REPLICAOF', '127.0.0.1', String(first.port));
  await untilDegraded(node.client, tenant);
  expect(await askOnce(node.client, tenant)).toBe('fail_open');
  await tell(second, 'REPLICAOF', 'NO', 'ONE');
  await untilExact(node.client, tenant);
});
