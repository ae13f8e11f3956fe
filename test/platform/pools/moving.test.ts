import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRedis } from '../../servers/connect.ts';
import { type RedisServer, startRedis } from '../../servers/redis.ts';
import type { MadeTenant } from '../rig/client.ts';
import { openPools, type PoolsRig, until, use } from './rig.ts';

const quota = (limit: number) => [
  { name: 'calls', algorithm: 'quota', limit, period: 'year', on_store_failure: 'closed' },
];

describe('a tenant that moves to another Redis', () => {
  let rig: PoolsRig;
  let own: RedisServer;
  let ownClient: Redis;

  beforeAll(async () => {
    [rig, own] = await Promise.all([openPools(), startRedis()]);
    ownClient = openRedis(own.url);
    await rig.client().change('POST', 'pools', { name: 'acme', redis_url: own.url });
  });

  afterAll(async () => {
    ownClient.disconnect();
    await rig.stop();
    await own.stop();
  });

  const move = (tenant: MadeTenant, pool: string | null) =>
    rig.client().change('PATCH', `tenants/${tenant.id}`, { pool });

  /** What is used is written down, so that a move brings along counters that are hardly begun. */
  const written = (tenant: MadeTenant) =>
    until(async () => {
      const query = rig.db.selectFrom('quota_usage').select('used');
      return (await query.where('tenant_id', '=', tenant.id).execute()).length > 0;
    }, 'usage is written');

  const allowedOf = async (tenant: MadeTenant): Promise<number> => {
    const { body } = await rig.client().admin('GET', `usage?tenant_id=${tenant.id}`);
    const { totals } = body as unknown as { totals: { allowed: number } };
    return totals.allowed;
  };

  it('is counted there, and goes on with what it used of its quotas; and back again', async () => {
    const tenant = await rig.client().makeTenant({ limits: quota(100) });
    for (let at = 1; at <= 40; at += 1) await use(rig.client(at), tenant.key);
    await written(tenant);
    await move(tenant, 'acme');
    expect(await use(rig.client(0), tenant.key)).toEqual({ status: 200, basis: 'exact', used: 41 });
    expect(await use(rig.client(1), tenant.key)).toEqual({ status: 200, basis: 'exact', used: 42 });
    expect(await ownClient.keys('sl1:{*')).not.toEqual([]);
    const isWatched = async () => (await ownClient.keys('sl1:witness:*')).length > 0;
    await until(isWatched, 'its Redis is watched like the one that all share');
    await move(tenant, null);
    expect(await use(rig.client(1), tenant.key)).toEqual({ status: 200, basis: 'exact', used: 43 });
    await move(tenant, 'acme');
    expect(await use(rig.client(0), tenant.key)).toEqual({ status: 200, basis: 'exact', used: 44 });
    await until(async () => (await allowedOf(tenant)) === 44, 'usage reports all of it');
  });

  it('under load of two nodes admits no more than its quota, and counts each call once', async () => {
    const limit = 300;
    const tenant = await rig.client().makeTenant({ limits: quota(limit) });
    await use(rig.client(), tenant.key);
    await written(tenant);
    let admitted = 1;
    let refused = 0;
    const bases = new Set<string>();
    const worker = async (at: number) => {
      while (refused < 60) {
        const { status, basis } = await use(rig.client(at), tenant.key);
        if (status === 200) admitted += 1;
        else refused += 1;
        bases.add(basis);
      }
    };
    const mover = async () => {
      for (const [pool, from] of [
        ['acme', 60],
        [null, 140],
        ['acme', 220],
      ] as const) {
        await until(() => admitted >= from, `${from} are admitted`);
        await move(tenant, pool);
      }
    };
    await Promise.all([mover(), ...Array.from({ length: 8 }, (_, at) => worker(at))]);
    expect(admitted).toBe(limit);
    expect([...bases]).toEqual(['exact']);
    await until(async () => (await allowedOf(tenant)) === limit, 'usage reports all of it');
  });
});
