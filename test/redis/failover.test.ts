// A primary dies between a reservation and its settlement: its replica knows what it knew.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StoreFailure, type SettleResult } from '../../limiter/src/core/index.ts';
import { fromIoredis, RedisEngine } from '../../limiter/src/engines/redis/index.ts';
import { openCluster, openRedis } from '../servers/connect.ts';
import { startRedisCluster, type RedisCluster } from '../servers/redis-cluster.ts';
import { bound, limitOf, question } from '../support/limits.ts';

const failoverMs = 30_000;
const tenant = { id: 'a-tenant' };
const limits = [
  limitOf({ algorithm: 'fixed_window', name: 'window', limit: 100, window: '1 d' }),
  limitOf({ algorithm: 'quota', name: 'quota', limit: 100, period: 'year' }),
  limitOf({ algorithm: 'sliding_window_log', name: 'log', limit: 100, window: '1 d' }),
];
const slots = limitOf({ algorithm: 'concurrency', maxConcurrent: 5, staleAfter: '1 h' });

let servers: RedisCluster;
let client: Cluster;
let engine: RedisEngine;

beforeAll(async () => {
  servers = await startRedisCluster({ nodeTimeoutMs: 1000 });
  client = openCluster(servers.nodes);
  engine = new RedisEngine(fromIoredis(client), { prefix: 'failover' });
});

afterAll(async () => {
  client?.disconnect();
  await servers?.stop();
});

async function take(id: string) {
  const asked = question(
    [...limits, slots].map((limit) => bound(limit, 10)),
    { id, reserve: { ttlMs: 3_600_000, onExpiry: 'refund' } },
  );
  const result = await engine.decide({ tenant, questions: [asked] });
  const answer = result.kind === 'answered' ? result.answers[0] : undefined;
  if (answer?.kind !== 'decided' || !answer.allowed) throw new Error('not reserved');
  return String(answer.ticket);
}

async function used(): Promise<number[]> {
  const seen = await engine.inspect(
    tenant,
    limits.map((limit) => bound(limit, 1)),
  );
  return seen.readings.map(({ state }) => (state as { used: number }).used);
}

/** While the cluster is finding itself a new primary, nothing is answered. */
async function persistently<T>(ask: () => Promise<T>): Promise<T> {
  const deadlineMs = performance.now() + failoverMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof StoreFailure) || performance.now() > deadlineMs) throw error;
      await sleep(50);
    }
  }
}

/** Ends the primary of the tenant's slot, once its replica has heard all that it said. */
async function endPrimary(): Promise<void> {
  const slot = await client.cluster('KEYSLOT', (await tenantKeys())[0] as string);
  for (const server of servers.servers) {
    const redis: Redis = openRedis(server.url, { lazyConnect: true, retryStrategy: () => null });
    try {
      await redis.connect();
      const owned = await redis.cluster('COUNTKEYSINSLOT', slot);
      if (owned === 0 || !(await redis.info('replication')).includes('role:master')) continue;
      expect(await redis.wait(1, 5000)).toBe(1);
    } finally {
      redis.disconnect();
    }
    await server.stop();
    return;
  }
  throw new Error('nobody has the slot');
}

async function tenantKeys(): Promise<string[]> {
  const found = await Promise.all(client.nodes('master').map((node) => node.keys('failover1:*')));
  return found.flat();
}

test('a failover neither loses nor repeats what is settled', { timeout: 120_000 }, async () => {
  const ticket = await take('before');
  await take('after');
  const settle = (reservationId: string, requests: number) => () =>
    engine.settle(tenant, { reservationId, costs: { requests } });
  expect(await settle('before', 7)()).toMatchObject({ kind: 'settled', late: false });
  await endPrimary();
  const again: SettleResult = await persistently(settle('before', 50));
  expect(again).toMatchObject({ kind: 'repeated', costs: { requests: 7 } });
  expect(await persistently(settle('after', 12))).toMatchObject({ kind: 'settled', late: false });
  expect(await settle('after', 50)()).toMatchObject({ kind: 'repeated', costs: { requests: 12 } });
  expect(await used()).toEqual([19, 19, 19]);
  expect(await engine.release(tenant, ticket)).toBe('released');
  expect(await engine.release(tenant, ticket)).toBe('gone');
});
