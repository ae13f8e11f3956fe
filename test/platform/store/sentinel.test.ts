// The service on a Redis that three sentinels watch over.

import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openConnection } from '../../../platform/src/store/redis-connection.ts';
import { openRedis } from '../../servers/connect.ts';
import {
  masterName,
  type RedisSentinel,
  startRedisSentinel,
} from '../../servers/redis-sentinel.ts';
import type { MadeTenant } from '../rig/client.ts';
import { askOnce, openLimit, untilExact } from './rig/asking.ts';
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

async function tell(port: number, name: string, ...args: readonly string[]): Promise<unknown> {
  const redis = openRedis(`redis://127.0.0.1:${port}`);
  try {
    return await redis.call(name, ...args);
  } finally {
    redis.disconnect();
  }
}

/** Who it is by the word of a sentinel. */
async function primaryPort(): Promise<number> {
  const [sentinelPort] = servers.sentinelPorts as [number];
  const reply = await tell(sentinelPort, 'SENTINEL', 'get-master-addr-by-name', masterName);
  return Number((reply as string[])[1]);
}

/** Who one is there, or why one is nobody. */
async function whoIs(url: string): Promise<string> {
  const redis = openConnection(url) as Redis;
  const failed = new Promise<string>((resolve) => {
    redis.on('error', ({ message }: Error) => resolve(message));
  });
  const asked = new Promise<string>((resolve) => {
    redis.once('ready', () => resolve(redis.acl('WHOAMI')));
  });
  try {
    redis.connect().catch(() => {});
    return await Promise.race([asked, failed]);
  } finally {
    redis.disconnect();
  }
}

async function countersOn(port: number): Promise<number> {
  const keys = await tell(port, 'KEYS', 'sl1:{*');
  return (keys as string[]).length;
}

test('servers and sentinels are logged in to as the address says, each as its own user', async () => {
  const ports = [servers.primary, ...servers.replicas].map(({ port }) => port);
  const rights = ['~*', '&*', '+@all'];
  await Promise.all([
    ...ports.map((port) => tell(port, 'ACL', 'SETUSER', 'app', 'on', '>p@ss', ...rights)),
    ...servers.sentinelPorts.map((port) =>
      tell(port, 'ACL', 'SETUSER', 'watcher', 'on', '>w&tch', ...rights),
    ),
  ]);
  const login = (password: string, sentinelPassword: string) =>
    servers.url
      .replace('//', `//app:${password}@`)
      .concat(`?sentinel_username=watcher&sentinel_password=${sentinelPassword}`);
  expect(await whoIs(login('p%40ss', 'w%26tch'))).toBe('app');
  expect(await whoIs(login('wrong', 'w%26tch'))).toMatch(/WRONGPASS/);
  expect(await whoIs(login('p%40ss', 'wrong'))).toMatch(/All sentinels are unreachable/);
});

test('a planned failover moves it to the new primary, and nobody is refused', async () => {
  expect(await askOnce(node.client, tenant)).toBe('exact');
  expect(await primaryPort()).toBe(servers.primary.port);
  await tell(servers.sentinelPorts[0] as number, 'SENTINEL', 'failover', masterName);
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
  // Not how it is decided meanwhile: on a busy machine a caller may come when all is over.
  await expect.poll(primaryPort, { timeout: 30_000, interval: 20 }).not.toBe(port);
  await untilExact(node.client, tenant);
  const backMs = performance.now() - startMs;
  console.log(
    `T28          exact again ${backMs.toFixed(0)} ms after the primary was killed (target 4000)`,
  );
});
