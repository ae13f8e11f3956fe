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

async function replicationOf(server: RedisServer): Promise<string> {
  const redis = openRedis(server.url);
  try {
    return await redis.info('replication');
  } finally {
    redis.disconnect();
  }
}

async function roleOf(server: RedisServer): Promise<string> {
  return /role:(\w+)/.exec(await replicationOf(server))?.[1] ?? '';
}

async function linkOf(replica: RedisServer): Promise<string> {
  return /master_link_status:(\w+)/.exec(await replicationOf(replica))?.[1] ?? '';
}

test('the service goes to whom the address names now, when its socket stays as it is', async () => {
  expect(await askOnce(node.client, tenant)).toBe('exact');
  forwarder.targetPort = second.port;
  await tell(second, 'REPLICAOF', 'NO', 'ONE');
  // Those who are connected stay so, and hear READONLY to whatever they write.
  await tell(first, 'REPLICAOF', '127.0.0.1', String(second.port));
  const startMs = performance.now();
  await untilExact(node.client, tenant);
  const backMs = performance.now() - startMs;
  expect([await roleOf(first), await roleOf(second)]).toEqual(['slave', 'master']);
  console.log(
    `T29          writes succeed ${backMs.toFixed(0)} ms after the demotion (target 2000)`,
  );
});

test('the same in a planned failover, which holds up writes for a while', async () => {
  const patient = { interval: 20, timeout: 20_000 };
  await expect.poll(() => linkOf(first), patient).toBe('up');
  // Who is told to hand over must know it as well.
  await expect.poll(() => replicationOf(second), patient).toMatch(/state=online/);
  forwarder.targetPort = first.port;
  await tell(second, 'FAILOVER', 'TO', '127.0.0.1', String(first.port));
  await expect
    .poll(
      async () => {
        await askOnce(node.client, tenant);
        return roleOf(first);
      },
      { interval: 10, timeout: 20_000 },
    )
    .toBe('master');
  await untilExact(node.client, tenant);
});

test('while the address names a replica, each limit decides by its policy', async () => {
  await untilExact(node.client, tenant);
  await tell(first, 'REPLICAOF', '127.0.0.1', String(second.port));
  await untilDegraded(node.client, tenant);
  expect(await askOnce(node.client, tenant)).toBe('fail_open');
  await tell(first, 'REPLICAOF', 'NO', 'ONE');
  await untilExact(node.client, tenant);
});
