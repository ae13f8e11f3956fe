import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRedis } from '../../servers/connect.ts';
import { type RedisServer, startRedis } from '../../servers/redis.ts';
import type { MadeTenant, NodeClient } from '../rig/client.ts';
import { openPools, type PoolsRig, until, use } from './rig.ts';

const window = { algorithm: 'fixed_window', window_seconds: 3600 };
const password = 's3cr3t-w0rd';

describe('tenants with a Redis of their own', () => {
  let rig: PoolsRig;
  let servers: readonly RedisServer[];

  beforeAll(async () => {
    const [opened, ...started] = await Promise.all([
      openPools(),
      startRedis(),
      startRedis(),
      startRedis({ settings: ['--requirepass', password] }),
    ]);
    [rig, servers] = [opened, started];
  });

  afterAll(async () => {
    await rig.stop();
    await Promise.all(servers.map((server) => server.stop()));
  });

  const serverAt = (at: number) => servers[at] as RedisServer;

  async function makePool(name: string, server: RedisServer, login = ''): Promise<string> {
    const redis_url = `redis://${login}127.0.0.1:${server.port}`;
    return (await rig.client().change('POST', 'pools', { name, redis_url }))['id'];
  }

  async function makeTenant(pool: string | null, limits: readonly object[]): Promise<MadeTenant> {
    const tenant = await rig.client().makeTenant({ limits });
    await rig.client().change('PATCH', `tenants/${tenant.id}`, { pool });
    return tenant;
  }

  /** Ten at a time on both nodes, so many by each tenant; who was let in, by tenant. */
  async function race(tenants: readonly MadeTenant[], calls: number, resource: string) {
    const admitted = tenants.map(() => 0);
    const bases = new Set<string>();
    const worker = async (at: number, client: NodeClient) => {
      for (let call = 0; call < calls / 10; call += 1) {
        const body = { resource, subject: 'ann' };
        const answer = await client.check((tenants[at] as MadeTenant).key, body);
        if (answer.status === 200) (admitted[at] as number) += 1;
        bases.add(answer.body['basis']);
      }
    };
    await Promise.all(
      tenants.flatMap((_, at) => Array.from({ length: 10 }, (__, n) => worker(at, rig.client(n)))),
    );
    return { admitted, bases: [...bases] };
  }

  it('share what is global with all others: to the last call of it', async () => {
    await makePool('first', serverAt(0));
    await makePool('second', serverAt(1));
    const limits = [{ ...window, name: 'all', limit: 150, per: ['global'] }];
    await rig.client().change('POST', 'policies', { resource: 'GLOBAL:/x', limits });
    await rig.client().published();
    const tenants = [];
    for (const pool of ['first', 'second', null]) {
      tenants.push(await makeTenant(pool, [{ ...window, name: 'own', limit: 1000 }]));
    }
    const { admitted, bases } = await race(tenants, 100, 'GLOBAL:/x');
    expect(bases).toEqual(['exact']);
    expect(admitted.reduce((sum, count) => sum + count, 0)).toBe(150);
    expect(Math.min(...admitted)).toBeGreaterThan(0);
    for (const [at, server] of [serverAt(0), serverAt(1), rig.shared].entries()) {
      const redis = openRedis(server.url);
      const keys = await redis.keys('*{global}*');
      redis.disconnect();
      expect(keys.length > 0).toBe(at === 2);
    }
  });

  it('log in anew where the password changed, on every node, and nobody is told of it', async () => {
    const id = await makePool('locked', serverAt(2), ':wr0ng-w0rd@');
    const limits = [{ ...window, name: 'own', limit: 50, on_store_failure: 'open' }];
    const tenant = await makeTenant('locked', limits);
    expect(await use(rig.client(0), tenant.key)).toMatchObject({ status: 200, basis: 'fail_open' });
    expect(await use(rig.client(1), tenant.key)).toMatchObject({ status: 200, basis: 'fail_open' });
    const redis_url = `redis://:${password}@127.0.0.1:${serverAt(2).port}`;
    await rig.client().change('PATCH', `pools/${id}`, { redis_url });
    for (const at of [0, 1]) {
      const isExact = async () => (await use(rig.client(at), tenant.key, 0)).basis === 'exact';
      await until(isExact, `node ${at} logs in`);
    }
    expect((await rig.client().change('GET', 'pools?name=locked'))['items']).toMatchObject([
      { redis_url: `redis://:***@127.0.0.1:${serverAt(2).port}` },
    ]);
    for (const node of rig.nodes) expect(node.log()).not.toMatch(/w0rd/);
  });

  it('that is dead are answered by their limits, and all others exactly', async () => {
    const dying = await startRedis();
    await makePool('dying', dying);
    const open = { ...window, name: 'own', limit: 40, on_store_failure: 'open' };
    const quota = [{ name: 'own', algorithm: 'quota', limit: 40, period: 'year' }];
    const dead = await makeTenant('dying', quota);
    const living = [await makeTenant('first', [open]), await makeTenant(null, [open])];
    for (let at = 1; at <= 30; at += 1) await use(rig.client(at), dead.key);
    await until(async () => {
      const query = rig.db.selectFrom('quota_usage').select('used');
      const rows = await query.where('tenant_id', '=', dead.id).execute();
      return rows.some(({ used }) => used === 30);
    }, 'usage is written');
    await dying.stop();

    const { admitted } = await race([dead, ...living], 60, 'r');
    expect(admitted).toEqual([60, 40, 40]);
    expect((await race(living, 10, 'r')).bases).toEqual(['exact']);
    for (const at of [0, 1]) {
      expect((await rig.client(at).get('/v1/ready')).status).toBe(200);
      const { text } = await rig.client(at).get('/metrics');
      expect(text).toMatch(/^rl_pool_up\{pool="dying"\} 0$/m);
      expect(text).toMatch(/^rl_pool_up\{pool="first"\} 1$/m);
      expect(text).toMatch(/^rl_pool_up\{pool="free"\} 1$/m);
    }

    // It is brought away, with what was written down of its quotas.
    await rig.client().change('PATCH', `tenants/${dead.id}`, { pool: null });
    for (const at of [0, 1]) {
      const isExact = async () => (await use(rig.client(at), dead.key, 0)).basis === 'exact';
      await until(isExact, `node ${at} asks elsewhere`);
    }
    expect((await race([dead], 20, 'r')).admitted).toEqual([10]);
  });
});
