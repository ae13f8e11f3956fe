// A pool does not get a Redis of its own that would lose or refuse counters.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openRedis } from '../../servers/connect.ts';
import { findFreePort } from '../../servers/free-port.ts';
import { type RedisServer, startRedis } from '../../servers/redis.ts';
import type { Answer } from '../rig/client.ts';
import { Forwarder } from '../store/rig/forwarder.ts';
import { openPools, type PoolsRig, until, use } from './rig.ts';

const password = 's3cr3t-w0rd';
const evicting = ['--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru'];
const limits = [{ name: 'own', algorithm: 'fixed_window', limit: 100, window_seconds: 3600 }];

describe('a Redis of its own', () => {
  let rig: PoolsRig;
  let good: RedisServer;
  let evicts: RedisServer;

  beforeAll(async () => {
    [rig, good, evicts] = await Promise.all([
      openPools({ nodes: 1 }),
      startRedis(),
      startRedis({ settings: [...evicting, '--requirepass', password] }),
    ]);
  });

  afterAll(async () => {
    await rig.stop();
    await Promise.all([good.stop(), evicts.stop()]);
  });

  const urlOf = ({ port }: { readonly port: number }, login = '') =>
    `redis://${login}127.0.0.1:${port}`;
  const create = (redis_url: string, name: string = randomUUID()) =>
    rig.client().admin('POST', 'pools', { name, redis_url });
  const evictingUrl = () => urlOf(evicts, `:${password}@`);
  const epochs = () => rig.db.selectFrom('shared_epoch').select('epoch').execute();

  function requireRefusal(answer: Answer, words: RegExp): void {
    expect([answer.status, answer.body['code']]).toEqual([400, 'invalid_request']);
    expect(answer.body['errors']).toMatchObject([{ field: 'redis_url' }]);
    expect(answer.text).toMatch(words);
    expect(answer.text).toContain('SLUICE_REDIS_UNSAFE=on');
    expect(answer.text).not.toContain(password);
  }

  it('that evicts is refused, and nothing of the pool is there', async () => {
    const before = await epochs();
    const name = randomUUID();
    requireRefusal(await create(evictingUrl(), name), /allkeys-lru.*noeviction/);
    expect((await rig.client().change('GET', `pools?name=${name}`))['items']).toEqual([]);
    expect(await epochs()).toEqual(before);
  });

  it('that is a replica, too old, or lacks a permission is refused', async () => {
    const replica = await startRedis({ settings: ['--replicaof', '127.0.0.1', String(good.port)] });
    onTestFinished(() => replica.stop());
    requireRefusal(await create(urlOf(replica)), /is a replica.*name the primary/);

    const old = await Forwarder.start(good.port);
    // No such server is at hand: this one says that it is one.
    old.rewrite = (reply) => reply.replace(/redis_version:\d\.\d\.\d\d/g, 'redis_version:6.2.20');
    onTestFinished(() => old.stop());
    requireRefusal(await create(urlOf(old)), /is Redis 6\.2\.20.*take 7\.0 or later/);

    const admin = openRedis(good.url);
    onTestFinished(() => admin.disconnect());
    const rules = ['reset', 'on', `>${password}`, '~sl1:*', '~sl1c:*', '+@all', '-zadd'];
    await admin.acl('SETUSER', 'least', ...rules);
    requireRefusal(await create(urlOf(good, `least:${password}@`)), /\+zadd/);
  });

  it('is not changed for one that is unsafe, and the pool stays as it was', async () => {
    const made = await create(urlOf(good));
    expect(made.status).toBe(201);
    const path = `pools/${made.body.id}`;
    const tenant = await rig.client().makeTenant({ limits });
    await rig.client().change('PATCH', `tenants/${tenant.id}`, { pool: made.body['name'] });
    expect(await use(rig.client(), tenant.key)).toMatchObject({ status: 200, basis: 'exact' });
    const before = await rig.client().change('GET', path);
    const patch = { redis_url: evictingUrl(), connections: 3, tiers: ['unsafe'] };
    requireRefusal(await rig.client().admin('PATCH', path, patch), /noeviction/);
    expect(await rig.client().change('GET', path)).toEqual(before);
    expect(await use(rig.client(), tenant.key)).toMatchObject({ status: 200, basis: 'exact' });
  });

  it('that is not there yet is taken, looked at when it comes, and warned of by its name', async () => {
    const port = await findFreePort();
    const made = await create(urlOf({ port }, `:${password}@`), 'late');
    expect(made.status).toBe(201);
    const tenant = await rig.client().makeTenant({ limits });
    await rig.client().change('PATCH', `tenants/${tenant.id}`, { pool: 'late' });
    expect(await use(rig.client(), tenant.key)).toMatchObject({ status: 200, basis: 'fail_open' });
    const late = await startRedis({ port, settings: [...evicting, '--requirepass', password] });
    onTestFinished(() => late.stop());
    const log = () => rig.nodes[0]?.log() ?? '';
    await until(() => log().includes('"pool.finding","pool":"late"'), 'it is looked at');
    expect(log()).toMatch(/"pool\.finding","pool":"late","finding":"redis_evicts".*noeviction/);
    expect(log()).not.toContain(password);
  });
});

describe('with SLUICE_REDIS_UNSAFE=on', () => {
  it('a pool gets any Redis, and what is wrong with it is logged', async () => {
    const [rig, evicts] = await Promise.all([
      openPools({ nodes: 1, settings: { SLUICE_REDIS_UNSAFE: 'on' } }),
      startRedis({ settings: evicting }),
    ]);
    onTestFinished(async () => {
      await rig.stop();
      await evicts.stop();
    });
    const client = rig.client();
    await client.change('POST', 'pools', { name: 'any', redis_url: evicts.url });
    const tenant = await client.makeTenant({ limits });
    await client.change('PATCH', `tenants/${tenant.id}`, { pool: 'any' });
    expect(await use(client, tenant.key)).toMatchObject({ status: 200, basis: 'exact' });
    const log = () => rig.nodes[0]?.log() ?? '';
    await until(() => log().includes('"pool":"any","finding":"redis_evicts"'), 'it is logged');
  });
});
