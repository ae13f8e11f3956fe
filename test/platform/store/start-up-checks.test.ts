// A Redis that would lose or refuse counters is not counted in, and it is said what is wrong.

import { randomUUID } from 'node:crypto';
import { expect, inject, onTestFinished, test } from 'vitest';
import {
  type Finding,
  openRedisStore,
  type RedisStoreOptions,
} from '../../../platform/src/store/index.ts';
import { openRedis } from '../../servers/connect.ts';
import { findFreePort } from '../../servers/free-port.ts';
import { startRedis } from '../../servers/redis.ts';
import { Forwarder } from './rig/forwarder.ts';
import { startNodeOn } from './rig/node-on.ts';

const evicting = ['--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru'];

async function startServer(...settings: readonly string[]) {
  const server = await startRedis({ settings });
  onTestFinished(() => server.stop());
  return server;
}

async function open(url: string, options: Partial<RedisStoreOptions> = {}) {
  const findings: Finding[] = [];
  const store = await openRedisStore({
    url,
    secret: 'secret',
    deadlineMs: 5000,
    wrap: (client) => client,
    onCall: () => {},
    onError: () => {},
    onBreaker: () => {},
    onFinding: (finding) => findings.push(finding),
    onAlarm: () => {},
    isUnsafeWanted: false,
    ...options,
  });
  onTestFinished(() => store.close());
  return { store, findings };
}

/** Refused with these words, and started with the override, then with the same words as a warning. */
async function requireRefusal(url: string, code: Finding['code'], words: RegExp): Promise<void> {
  await expect(open(url)).rejects.toThrow(words);
  await expect(open(url)).rejects.toThrow('SLUICE_REDIS_UNSAFE=on');
  const { store, findings } = await open(url, { isUnsafeWanted: true });
  expect(store.findings()).toContain(code);
  const finding = findings.find((one) => one.code === code);
  expect(finding).toMatchObject({ isUnsafe: true });
  expect(finding?.text).toMatch(words);
}

test('a good server is used, and nothing unsafe is said of it', async () => {
  const { store, findings } = await open(inject('redisUrl'));
  expect(store.findings()).toEqual([]);
  expect(findings.filter(({ isUnsafe }) => isUnsafe)).toEqual([]);
  const nodes = inject('redisClusterNodes').map(({ host, port }) => `${host}:${port}`);
  const cluster = await open(`redis+cluster://${nodes.join(',')}`);
  expect(cluster.store.findings()).toEqual([]);
});

test('one that evicts', async () => {
  const { url } = await startServer(...evicting);
  await requireRefusal(url, 'redis_evicts', /allkeys-lru.*set maxmemory-policy noeviction/);
});

test('one that would evict if its memory were bounded is only warned of', async () => {
  const { url } = await startServer('--maxmemory-policy', 'volatile-ttl');
  const { store, findings } = await open(url);
  expect(store.findings()).toEqual([]);
  expect(findings.map(({ code }) => code)).toContain('redis_evicts');
});

test('a replica', async () => {
  const { port } = await startServer();
  const { url } = await startServer('--replicaof', '127.0.0.1', String(port));
  await requireRefusal(url, 'redis_is_replica', /is a replica.*name the primary/);
});

test('one server of a cluster', async () => {
  const [node] = inject('redisClusterNodes');
  const url = `redis://127.0.0.1:${node?.port}`;
  await requireRefusal(url, 'redis_is_one_of_a_cluster', /redis\+cluster:/);
});

test('one that is too old', async () => {
  const server = await startServer();
  const forwarder = await Forwarder.start(server.port);
  // No such server is at hand: this one says that it is one.
  forwarder.rewrite = (reply) =>
    reply.replace(/redis_version:\d\.\d\.\d\d/g, 'redis_version:6.2.20');
  onTestFinished(() => forwarder.stop());
  const url = `redis://127.0.0.1:${forwarder.port}`;
  await requireRefusal(url, 'redis_too_old', /is Redis 6\.2\.20.*take 7\.0 or later/);
});

test('one whose script engine has known holes is warned of', async () => {
  const { url } = await startServer();
  const { store, findings } = await open(url);
  const [version] = /(?<=redis_version:)\S+/.exec(await infoOf(url)) ?? [];
  expect(version).toBe('7.0.15');
  expect(store.findings()).toEqual([]);
  expect(findings).toMatchObject([{ code: 'redis_has_known_holes', isUnsafe: false }]);
  expect(findings[0]?.text).toMatch(/Redis 7\.0\.15.*CVE-2025-49844.*7\.2\.11/);
});

async function infoOf(url: string): Promise<string> {
  const redis = openRedis(url);
  try {
    return await redis.info('server');
  } finally {
    redis.disconnect();
  }
}

async function withUser(url: string, ...rules: readonly string[]): Promise<string> {
  const admin = openRedis(url);
  const password = randomUUID();
  await admin.acl('SETUSER', 'least', 'reset', 'on', `>${password}`, '~sl1:*', '~sl1c:*', ...rules);
  admin.disconnect();
  return url.replace('//', `//least:${password}@`);
}

test('a user without a permission, or without the keys', async () => {
  const { url } = await startServer();
  const lacking = await withUser(url, '+@all', '-hset', '-zadd');
  await requireRefusal(lacking, 'redis_lacks_permission', /~sl1:\* ~sl1c:\* \+hset \+zadd\)/);
  const elsewhere = await withUser(url, '+@all', 'resetkeys', '~other:*');
  await requireRefusal(elsewhere, 'redis_lacks_permission', /keys sl1:\*/);
  const uncached = await withUser(url, '+@all', 'resetkeys', '~sl1:*');
  await requireRefusal(uncached, 'redis_lacks_permission', /\+get \+set\)/);
  const scriptless = await withUser(url, '+@all', '-eval');
  await requireRefusal(scriptless, 'redis_lacks_permission', /\+eval\)/);
});

test('what can not be seen is said, and is no reason to refuse', async () => {
  const { url } = await startServer(...evicting);
  const { store, findings } = await open(await withUser(url, '+@all', '-info'));
  expect(store.findings()).toEqual([]);
  expect(findings).toMatchObject([{ code: 'redis_not_checked', isUnsafe: false }]);
  expect(findings[0]?.text).toMatch(/the version, the eviction policy/);
});

test('a node that starts while Redis is away looks when it comes, warns, and says so when asked', async () => {
  const port = await findFreePort();
  const node = await startNodeOn(`redis://127.0.0.1:${port}`);
  onTestFinished(() => node.stop());
  const findings = async () => (await node.client.get('/v1/ready')).body['findings'];
  expect(await findings()).toEqual([]);
  const server = await startRedis({ port, settings: evicting });
  onTestFinished(() => server.stop());
  await expect.poll(findings, { timeout: 20_000 }).toEqual(['redis_evicts']);
  await expect
    .poll(() => node.node.log())
    .toMatch(/"store\.finding","finding":"redis_evicts".*set maxmemory-policy noeviction/);
});

test('a node does not start on what is unsafe, and does when told to', async () => {
  const { url } = await startServer(...evicting);
  await expect(startNodeOn(url)).rejects.toThrow('set maxmemory-policy noeviction');
  const node = await startNodeOn(url, { SLUICE_REDIS_UNSAFE: 'on' });
  onTestFinished(() => node.stop());
  expect((await node.client.get('/v1/ready')).body).toMatchObject({ findings: ['redis_evicts'] });
  await expect.poll(() => node.node.log()).toContain('"finding":"redis_evicts"');
});
