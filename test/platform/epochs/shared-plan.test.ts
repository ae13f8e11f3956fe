import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Client } from 'pg';
import { startRedis, type RedisServer } from '../../servers/redis.ts';
import { startFleet, type Fleet, type Key } from './fleet.ts';

const nodeCount = 3;
const tenantCount = 10_000;
const keyCount = 30;

type Publication = {
  readonly epoch: number;
  readonly total: number | null;
  readonly done: number;
  readonly finished_at: string | null;
};

describe('a plan that ten thousand tenants share', () => {
  let server: RedisServer;
  let fleet: Fleet;
  let plan: { readonly id: string };
  const keys: Key[] = [];

  beforeAll(async () => {
    server = await startRedis();
    fleet = await startFleet({
      count: nodeCount,
      redisUrl: server.url,
      postgresUrl: inject('postgresUrl'),
    });
    plan = await fleet.admin('POST', 'plans', { name: 'pro', limits: [limitOf(100)] });
    await fillTenants(fleet.databaseUrl);
    const { items } = await fleet.admin<{ items: { id: string }[] }>(
      'GET',
      `tenants?limit=${keyCount}`,
    );
    for (const { id } of items) {
      const key = await fleet.admin<{ id: string; key: string }>('POST', 'keys', {
        tenant_id: id,
        name: 'k',
      });
      keys.push({ id: key.id, text: key.key });
    }
  }, 120_000);
  afterAll(async () => {
    await fleet?.stop();
    await server?.stop();
  });

  const limitsEverywhere = async () => {
    const answers = await Promise.all(keys.map(({ text }) => fleet.checkEverywhere(text)));
    return new Set(answers.flat().map(({ limit }) => limit));
  };

  it('changes for all of them in the background, and says how far it is', async () => {
    expect(await limitsEverywhere()).toEqual(new Set([100]));
    const changed = await fleet.admin<{ published: boolean }>('PATCH', `plans/${plan.id}`, {
      limits: [limitOf(7)],
    });
    expect(changed.published).toBe(false);

    const seen: Publication[] = [];
    await expect
      .poll(
        async () => {
          const { items } = await fleet.admin<{ items: Publication[] }>('GET', 'publications');
          const newest = items.toSorted((a, b) => b.epoch - a.epoch)[0] as Publication;
          seen.push(newest);
          return newest.finished_at;
        },
        { timeout: 60_000, interval: 20 },
      )
      .not.toBeNull();
    const last = seen.at(-1) as Publication;
    expect(last).toMatchObject({ total: tenantCount, done: tenantCount });
    const progress = seen.map(({ done }) => done);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));

    expect(await limitsEverywhere()).toEqual(new Set([7]));
  }, 120_000);

  it('is the newest for who hears of two changes at once', async () => {
    await fleet.admin('PATCH', `plans/${plan.id}`, { limits: [limitOf(8)] });
    await fleet.admin('PATCH', `plans/${plan.id}`, { limits: [limitOf(9)] });
    await expect
      .poll(
        async () => {
          const { items } = await fleet.admin<{ items: Publication[] }>('GET', 'publications');
          return items.filter(({ finished_at: finished }) => finished === null).length;
        },
        { timeout: 60_000 },
      )
      .toBe(0);
    expect(await limitsEverywhere()).toEqual(new Set([9]));
  }, 120_000);
});

function limitOf(limit: number) {
  return { name: 'burst', algorithm: 'fixed_window', limit, window_seconds: 3600 };
}

/** On the plan that their tier names. */
async function fillTenants(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`
      INSERT INTO tenants (id, name, tier, status, timezone, billing_anchor_day)
      SELECT gen_random_uuid(), 'tenant ' || n, 'pro', 'active', 'UTC', 1
      FROM generate_series(1, ${tenantCount}) AS n`);
    await client.query(`
      INSERT INTO tenant_epochs (tenant_id, epoch, published_epoch) SELECT id, 1, 1 FROM tenants`);
  } finally {
    await client.end();
  }
}
