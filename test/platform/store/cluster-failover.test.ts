// One primary of three is killed, another frozen: its slots come back, the others' never go.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Keys } from '../../../limiter/src/engines/redis/keys.ts';
import { openCluster, openRedis } from '../../servers/connect.ts';
import { type RedisCluster, startRedisCluster } from '../../servers/redis-cluster.ts';
import type { MadeTenant } from '../rig/client.ts';
import { askOnce, openLimit, untilDegraded, untilExact } from './rig/asking.ts';
import { type NodeOn, startNodeOn } from './rig/node-on.ts';

const tenantsMax = 60;

let servers: RedisCluster;
let admin: Cluster;
let node: NodeOn;
/** By the port of the primary that had its slot at first. */
const tenants = new Map<number, MadeTenant>();

beforeAll(async () => {
  servers = await startRedisCluster({ nodeTimeoutMs: 1000 });
  admin = openCluster(servers.nodes);
  await Promise.all(servers.servers.map(({ url }) => serveOwnSlots(url)));
  const hosts = servers.nodes.slice(0, 2).map(({ host, port }) => `${host}:${port}`);
  node = await startNodeOn(`redis+cluster://${hosts.join(',')}`, {
    SLUICE_STORE_DEADLINE_MS: '500',
  });
  const keys = new Keys({ prefix: 'sl', secret: node.node.service.foundation.secrets.store });
  for (let made = 0; tenants.size < 3 && made < tenantsMax; made += 1) {
    const tenant = await node.client.makeTenant({ limits: [openLimit] });
    const slot = await admin.cluster('KEYSLOT', keys.tenant(tenant));
    tenants.set(await ownerOf(slot), tenant);
  }
});

afterAll(async () => {
  await node?.stop();
  admin?.disconnect();
  await servers?.stop();
});

/** Else a whole cluster refuses as long as one slot has nobody. */
async function serveOwnSlots(url: string): Promise<void> {
  const redis = openRedis(url);
  await redis.config('SET', 'cluster-require-full-coverage', 'no');
  redis.disconnect();
}

async function ownerOf(slot: number): Promise<number> {
  const ranges = await admin.cluster('SLOTS');
  const [, , primary] = ranges.find(([from, to]) => from <= slot && slot <= to) ?? [];
  return primary?.[1] ?? 0;
}

function serverOn(port: number) {
  const server = servers.servers.find((one) => one.port === port);
  if (!server) throw new Error(`nobody is on ${port}`);
  return server;
}

const calmCalls = 100;

/** Until so many in a row are exact. */
async function untilCalm(tenant: MadeTenant): Promise<void> {
  for (let calm = 0; calm < calmCalls; calm += 1) {
    if ((await askOnce(node.client, tenant)) !== 'exact') calm = 0;
    await sleep(5);
  }
}

/** Breaks a primary, while the tenants of the others go on asking. */
async function lose(port: number, breakIt: () => Promise<void> | void, name: string) {
  const victim = tenants.get(port) as MadeTenant;
  const others = [...tenants].filter(([owner]) => owner !== port).map(([, tenant]) => tenant);
  // Whoever was lost before is asked little by little at first.
  for (const tenant of tenants.values()) await untilCalm(tenant);
  const over = new AbortController();
  const bases = new Set<string>();
  const durationsMs: number[] = [];
  const asking = (async () => {
    while (!over.signal.aborted) {
      for (const other of others) {
        const startMs = performance.now();
        bases.add(await askOnce(node.client, other));
        durationsMs.push(performance.now() - startMs);
      }
      await sleep(5);
    }
  })();
  // What it takes with all of them there.
  await sleep(500);
  const baselineMs = p99(durationsMs.splice(0));
  const { store } = node.node.service.foundation;
  const life = store.shelf?.life();
  let losses = 0;
  store.onLost(() => (losses += 1));
  const startMs = performance.now();
  await breakIt();
  await untilDegraded(node.client, victim);
  await untilExact(node.client, victim);
  const backMs = performance.now() - startMs;
  over.abort();
  await asking;
  expect([...bases]).toEqual(['exact']);
  // Who only looks at the map every ten seconds takes longer.
  expect(backMs).toBeLessThan(8000);
  expect(durationsMs.length).toBeGreaterThan(0);
  // Who takes over may know less: nodes are told, and what they kept for each other is void.
  expect(losses).toBeGreaterThan(0);
  expect(life).toMatch(/^\w+\.\w+\.\w+$/);
  await expect.poll(() => store.shelf?.life() ?? '', { timeout: 5000 }).toMatch(/^\w+\.\w+\.\w+$/);
  expect(store.shelf?.life()).not.toBe(life);
  console.log(
    `T30          ${name}: slots back in ${backMs.toFixed(0)} ms (target 5000); p99 of other slots ${p99(durationsMs).toFixed(1)} ms, before ${baselineMs.toFixed(1)} ms`,
  );
}

function p99(valuesMs: readonly number[]): number {
  const sorted = valuesMs.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
}

test('each primary has a tenant whose checks are exact', async () => {
  expect(tenants.size).toBe(3);
  for (const tenant of tenants.values()) expect(await askOnce(node.client, tenant)).toBe('exact');
});

test('a primary is killed', async () => {
  const port = [...tenants.keys()][0] as number;
  await lose(port, () => serverOn(port).stop(), 'killed');
});

test('a primary is frozen, and thawed as what it has become', async () => {
  const port = [...tenants.keys()][1] as number;
  const { pid } = serverOn(port);
  try {
    await lose(port, () => void process.kill(pid, 'SIGSTOP'), 'frozen');
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await expect
    .poll(async () => admin.cluster('INFO'), { timeout: 20_000 })
    .toContain('cluster_state:ok');
  for (const tenant of tenants.values()) expect(await askOnce(node.client, tenant)).toBe('exact');
});
