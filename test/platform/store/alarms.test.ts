// What says that the data or the clock of a Redis can't be trusted.

import type { Redis } from 'ioredis';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openRedisStore, type StoreAlarm } from '../../../platform/src/store/index.ts';
import { startShiftedRedis } from '../../faults/rig/clock-shim.ts';
import { openCluster, openRedis } from '../../servers/connect.ts';
import { startRedis } from '../../servers/redis.ts';
import { FaultProxy } from '../../support/fault-proxy.ts';
import type { NodeClient } from '../rig/client.ts';
import { Forwarder } from './rig/forwarder.ts';
import { startNodeOn } from './rig/node-on.ts';

const patient = { interval: 20, timeout: 20_000 };
const witnesses = 'sl1:witness:*';

async function startServer(...settings: readonly string[]) {
  const server = await startRedis({ settings });
  onTestFinished(() => server.stop());
  const redis = openRedis(server.url);
  onTestFinished(() => redis.disconnect());
  return { ...server, redis };
}

async function startNode(url: string) {
  const node = await startNodeOn(url);
  onTestFinished(() => node.stop());
  return node;
}

/** What a node wrote last on this server. */
async function stampOn(redis: Redis): Promise<number> {
  const [key] = await redis.keys(witnesses);
  return key === undefined ? 0 : Number(await redis.get(key));
}

async function told(client: NodeClient): Promise<string[]> {
  const { text } = await client.get('/metrics');
  return text
    .split('\n')
    .filter((line) => /^rl_store_(clock_steps|rollbacks)_total/.test(line) && !line.endsWith(' 0'));
}

test('a clock that is set ahead, and back again', async ({ skip }) => {
  const server = await startShiftedRedis();
  if (!server) return skip('there is no gcc to build the clock shim with');
  onTestFinished(() => server.stop());
  const redis = openRedis(server.url);
  onTestFinished(() => redis.disconnect());
  const { node, client } = await startNode(server.url);
  await expect.poll(() => stampOn(redis), patient).toBeGreaterThan(0);
  await server.shiftClock(60_000);
  const ahead = 'rl_store_clock_steps_total{direction="ahead"} 1';
  await expect.poll(() => told(client), patient).toEqual([ahead]);
  await server.shiftClock(0);
  const back = 'rl_store_clock_steps_total{direction="back"} 1';
  await expect.poll(() => told(client), patient).toEqual([ahead, back]);
  await expect.poll(() => node.log()).toContain('"direction":"back"');
  const lines = node.log().split('\n');
  const steps = lines.filter((line) => line.includes('store.clock_stepped'));
  expect(steps.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', server: `127.0.0.1:${server.port}`, direction: 'ahead' },
    { level: 'warn', server: `127.0.0.1:${server.port}`, direction: 'back' },
  ]);
  const [first] = steps.map((line) => Number(/"step_ms":(\d+)/.exec(line)?.[1]));
  expect(Math.abs((first ?? 0) - 60_000)).toBeLessThan(5000);

  // As if a question that was held up came first: a stamp is not replaced by an earlier one.
  const [key = ''] = await redis.keys(witnesses);
  const later = String(1e12);
  await redis.set(key, later);
  const asked = async () =>
    Number(/cmdstat_eval:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1]);
  const askedBefore = await asked();
  await expect.poll(asked, patient).toBeGreaterThan(askedBefore);
  expect(await redis.get(key)).toBe(later);
});

test('a failover that lost the last writes, and a server that was emptied; not one that stood still', async () => {
  const primary = await startServer();
  const link = await FaultProxy.start(primary.port);
  onTestFinished(() => link.stop());
  const replica = await startServer('--replicaof', '127.0.0.1', String(link.port));
  await expect.poll(() => replica.redis.info('replication'), patient).toMatch(/link_status:up/);
  const forwarder = await Forwarder.start(primary.port);
  onTestFinished(() => forwarder.stop());
  const { node, client } = await startNode(`redis://127.0.0.1:${forwarder.port}`);
  const grown = async (redis: Redis) => {
    const before = await stampOn(redis);
    await expect.poll(() => stampOn(redis), patient).toBeGreaterThan(before);
  };
  await grown(replica.redis);

  process.kill(primary.pid, 'SIGSTOP');
  await expect.poll(() => node.log(), patient).toContain('store.lost');
  process.kill(primary.pid, 'SIGCONT');
  await grown(primary.redis);
  expect(await told(client)).toEqual([]);

  link.fault = { kind: 'swallow_replies' };
  // The second of them was sent when the first was confirmed.
  await grown(primary.redis);
  await grown(primary.redis);
  expect(await told(client)).toEqual([]);
  forwarder.targetPort = replica.port;
  await replica.redis.replicaof('NO', 'ONE');
  await primary.stop();
  await expect.poll(() => told(client), patient).toEqual(['rl_store_rollbacks_total 1']);

  await replica.redis.flushall();
  await expect.poll(() => told(client), patient).toEqual(['rl_store_rollbacks_total 2']);
  await expect.poll(() => node.log()).toContain('Redis has nothing of what this node wrote');
  expect(node.log()).toMatch(
    /"store\.rolled_back","server":"127.*"lost_ms":[1-9].*lost what it had/,
  );
});

test('each server of a cluster is held to what it confirmed', async () => {
  const nodes = inject('redisClusterNodes');
  const cluster = openCluster(nodes);
  onTestFinished(() => cluster.disconnect());
  await cluster.ping();
  const masters = cluster.nodes('master');
  const keysOn = async (redis: Redis) => new Set(await redis.keys(witnesses));
  const before = await Promise.all(masters.map(keysOn));
  const alarms: StoreAlarm[] = [];
  const store = await openRedisStore({
    url: `redis+cluster://${nodes.map(({ host, port }) => `${host}:${port}`).join(',')}`,
    secret: 'secret',
    deadlineMs: 5000,
    wrap: (client) => client,
    onCall: () => {},
    onError: () => {},
    onBreaker: () => {},
    onFinding: () => {},
    onAlarm: (alarm) => alarms.push(alarm),
    isUnsafeWanted: false,
  });
  onTestFinished(() => store.close());
  for (const [at, redis] of masters.entries()) {
    const fresh = async () => [...(await keysOn(redis))].filter((key) => !before[at]?.has(key));
    await expect.poll(fresh, patient).not.toEqual([]);
    for (const key of await fresh()) await redis.del(key);
  }
  const told = () => new Set(alarms.map(({ kind, server }) => `${kind} ${server}`));
  const expected = masters.map(({ options: { host, port } }) => `rolled_back ${host}:${port}`);
  await expect.poll(told, patient).toEqual(new Set(expected));
});
