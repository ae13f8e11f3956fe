// The whole service under a Redis user with exactly the rights that docs/redis.md says.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Cluster, type Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { deniedCommands, neededCommands } from '../../../platform/src/store/permissions.ts';
import { openCluster, openRedis } from '../../servers/connect.ts';
import { type RedisServer, startRedis } from '../../servers/redis.ts';
import { randomFrom } from '../../support/store.ts';
import { runEveryVerb, runWorkload } from '../../support/workload.ts';
import { type NodeOn, startNodeOn } from './rig/node-on.ts';

const documented = readFileSync(new URL('../../../docs/redis.md', import.meta.url), 'utf8');

/** The rules of the line that begins so, without the name and the password. */
function rulesAfter(begin: string): string[] {
  const [, line = ''] = documented.split(`\nACL SETUSER sluice ${begin}`);
  const rules = line.slice(0, line.indexOf('```')).split(/\s+/);
  expect(rules.length).toBeGreaterThan(3);
  return rules.filter((rule) => rule !== '');
}

const serviceRules = rulesAfter('on >password resetchannels');
const clusterRules = rulesAfter('+cluster|slots');

const kinds = [
  { name: 'one server', rules: serviceRules, isCluster: false },
  {
    name: 'a cluster',
    rules: [...serviceRules, '+cluster|slots', ...clusterRules],
    isCluster: true,
  },
];

describe.each(kinds)('on $name', ({ rules, isCluster }) => {
  // The cluster is shared with other tests: a user of our own.
  const user = `least-${randomUUID()}`;
  const password = randomUUID();
  let server: RedisServer | null = null;
  let ports: number[] = [];
  let admins: Redis[] = [];
  let limited: Redis | Cluster;
  let node: NodeOn;

  beforeAll(async () => {
    server = isCluster ? null : await startRedis();
    ports = server ? [server.port] : inject('redisClusterNodes').map(({ port }) => port);
    admins = ports.map((port) => openRedis(`redis://127.0.0.1:${port}`));
    await Promise.all(
      admins.map((admin) =>
        admin.acl('SETUSER', user, 'reset', 'on', `>${password}`, 'resetchannels', ...rules),
      ),
    );
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
    node = await startNodeOn(
      `${isCluster ? 'redis+cluster' : 'redis'}://${user}:${password}@${hosts}`,
    );
    const login = { username: user, password, disableClientInfo: true };
    limited = server
      ? openRedis(server.url, login)
      : openCluster(inject('redisClusterNodes'), login);
  });

  afterAll(async () => {
    await node?.stop();
    limited?.disconnect();
    await Promise.all(admins.map((admin) => admin.acl('DELUSER', user)));
    for (const admin of admins) admin.disconnect();
    await server?.stop();
  });

  /** What Redis refused this user since it was asked last. */
  async function denials(): Promise<string[]> {
    const logs = await Promise.all(admins.map((admin) => admin.acl('LOG', 128)));
    const entries = logs.flat() as string[][];
    return entries
      .map((entry) => new Map(entry.map((name, at) => [name, entry[at + 1]])))
      .filter((entry) => entry.get('username') === user)
      .map((entry) => `${entry.get('reason')} ${entry.get('object')}`);
  }

  test('everything that the service does is permitted', async () => {
    const { client } = node;
    const { store } = node.node.service.foundation;
    const tenant = { id: randomUUID() };
    await runEveryVerb({ engine: store.engine, tenant, random: randomFrom(1) });
    await runWorkload({ engine: store.engine, tenant, random: randomFrom(2), steps: 150 });
    await store.ping();
    await store.board.post('topic', 'text');
    expect(await store.board.read('topic')).toEqual(['text']);
    await store.shelf?.set('sl1:least', 'value', 'PX', 1000);
    expect(await store.shelf?.get('sl1:least')).toBe('value');
    expect(store.shelf?.life()).toMatch(/^\w/);
    const made = await client.makeTenant();
    const body = { resource: 'GET:/orders', subject: 'ann', idempotency_key: randomUUID() };
    expect((await client.check(made.key, body)).body).toMatchObject({ basis: 'exact' });
    expect((await client.check(made.key, body)).body).toMatchObject({ replayed: true });
    const reserved = await client.check(made.key, {
      resource: 'GET:/orders',
      subject: 'ann',
      reserve: { ttl_ms: 60_000 },
    });
    expect(reserved.status).toBe(200);
    const { reservation } = reserved.body as { reservation: { id: string } };
    const settlement = { reservation_id: reservation.id, cost: 1 };
    const settled = await client.follow(made.key, 'settle', settlement);
    expect(settled.status).toBe(200);
    expect((await client.get('/v1/usage', { 'x-api-key': made.key })).status).toBe(200);
    expect((await client.get('/v1/ready')).body).toMatchObject({ degraded: false, findings: [] });
    expect(await denials()).toEqual([]);
  });

  test('each right is one that the start-up check asks for, and it asks for no other', async () => {
    const optional = ['info', 'client|setname'];
    const given = rules.filter((rule) => rule.startsWith('+')).map((rule) => rule.slice(1));
    const asked = neededCommands(isCluster);
    expect(asked.toSorted()).toEqual(given.filter((name) => !optional.includes(name)).toSorted());
    const [asking] = limited instanceof Cluster ? limited.nodes('master') : [limited];
    if (!asking) throw new Error('nobody to ask');
    const admin = admins[ports.indexOf(asking.options.port ?? 0)];
    expect(await deniedCommands(asking, isCluster)).toEqual([]);
    for (const name of asked) {
      await admin?.acl('SETUSER', user, `-${name}`);
      const denied = await deniedCommands(asking, isCluster);
      await admin?.acl('SETUSER', user, `+${name}`);
      expect(denied).toEqual([name.split('|')[0]]);
    }
  });

  // Were it not, the other tests would be without their cluster.
  if (isCluster) return;
  test.each([
    ['FLUSHALL', () => limited.call('FLUSHALL')],
    ['KEYS', () => limited.call('KEYS', '*')],
    ['SCAN', () => limited.call('SCAN', '0')],
    ['CONFIG SET', () => limited.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')],
    ['CONFIG GET', () => limited.call('CONFIG', 'GET', 'requirepass')],
    ['SCRIPT FLUSH', () => limited.call('SCRIPT', 'FLUSH')],
    ['ACL', () => limited.call('ACL', 'LIST')],
    ['SHUTDOWN', () => limited.call('SHUTDOWN', 'NOSAVE')],
    ['PUBLISH', () => limited.call('PUBLISH', 'channel', 'text')],
    ['GET of another prefix', () => limited.get('other:key')],
    ['SET of another prefix', () => limited.set('sl2:key', 'value')],
    ['EVAL on another prefix', () => limited.eval("return redis.call('GET', KEYS[1])", 1, 'other')],
  ])('%s is denied', async (_name, ask) => {
    await expect(ask()).rejects.toThrow(/NOPERM|ACL failure|can't access/);
  });
});
