import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Redis } from 'ioredis';
import { openRedis } from '../../servers/connect.ts';
import { type RedisServer, startRedis } from '../../servers/redis.ts';
import { createTemporaryFolder, removeFolder } from '../../servers/temporary-folder.ts';
import { freshDatabase } from '../../support/databases.ts';
import { ChildNode } from '../rig/child-node.ts';
import type { MadeTenant, NodeClient } from '../rig/client.ts';
import { makeDataDir, type RunningNode, startNode } from '../rig/node.ts';

/** As long as a month, and so longer than the store remembers. */
const plan = [
  {
    name: 'plan',
    algorithm: 'quota',
    limit: 1_000_000,
    period: 'year',
    per: ['tenant', 'subject'],
  },
];
const tree = {
  name: 'tree',
  period: 'year',
  limit: 1_000_000,
  teams: { eng: { limit: 500_000, users: { alice: { limit: 100_000 } } } },
};
/** From the promise: what was used since the last write, which is at most this long ago. */
const checkpointMs = 5000;

type Used = Readonly<Record<string, number>>;

async function ask(client: NodeClient, key: string, cost = 1): Promise<Used & { status: number }> {
  const { status, body } = await client.check(key, {
    resource: 'r',
    subject: 'ann',
    cost,
    attributes: { team: 'eng', user: 'alice' },
  });
  const limits = body['limits'] as readonly { name: string; used: number }[];
  return { status, ...Object.fromEntries(limits.map(({ name, used }) => [name, used])) };
}

const all = (used: number) => ({ plan: used, tree: used, 'tree/team': used, 'tree/user': used });

async function makeTenant(client: NodeClient, quota: object = tree): Promise<MadeTenant> {
  const tenant = await client.makeTenant({ limits: plan });
  await client.change('PUT', `quotas/${tenant.id}`, quota);
  return tenant;
}

describe('a store that lost what it counted (T35)', () => {
  let redis: RedisServer;
  let operator: Redis;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let folder: string;
  const nodes: RunningNode[] = [];

  beforeAll(async () => {
    [redis, database, folder] = await Promise.all([
      startRedis(),
      freshDatabase(inject('postgresUrl')),
      createTemporaryFolder('data'),
    ]);
    operator = openRedis(redis.url);
    const settings = {
      SLUICE_DATABASE_URL: database.url,
      SLUICE_REDIS_URL: redis.url,
      SLUICE_DATA_DIR: folder,
      SLUICE_DATABASE_POOL: '4',
    };
    for (let at = 0; at < 2; at += 1) nodes.push(await startNode(settings));
  });

  afterAll(async () => {
    operator.disconnect();
    for (const node of nodes) await node.stop();
    await database.drop();
    await Promise.all([redis.stop(), removeFolder(folder)]);
  });

  const [clientOf, lose] = [
    (at: number) => (nodes[at] as RunningNode).client,
    () => operator.flushall(),
  ];

  it('is told by the node that saw it, to the last call', async () => {
    const tenant = await makeTenant(clientOf(0));
    for (let at = 1; at <= 20; at += 1) {
      expect(await ask(clientOf(0), tenant.key)).toMatchObject(all(at));
    }
    await lose();
    expect(await ask(clientOf(0), tenant.key)).toMatchObject(all(21));
    expect(await ask(clientOf(1), tenant.key)).toMatchObject(all(22));
  });

  it('is told by another node, but for what was used since the last write', async () => {
    const tenant = await makeTenant(clientOf(0));
    await ask(clientOf(0), tenant.key, 1000);
    await sleep(checkpointMs);
    await ask(clientOf(0), tenant.key, 7);
    await lose();
    const { status, ...used } = await ask(clientOf(1), tenant.key);
    expect(status).toBe(200);
    for (const one of Object.values(used)) {
      expect(one).toBeGreaterThanOrEqual(1001);
      expect(one).toBeLessThanOrEqual(1008);
    }
    // Whatever it was told then, nothing is taken back by what another tells later.
    await sleep(checkpointMs);
    const later = await ask(clientOf(0), tenant.key);
    expect(later['plan']).toBeGreaterThan(Number(used['plan']));
  });

  it('under load, again and again, admits no more than the quota and what was not yet written', async () => {
    const limit = 1500;
    const tenant = await makeTenant(clientOf(0), { ...tree, limit, teams: {} });
    const admittedAtMs: number[] = [];
    const lostAtMs: number[] = [];
    const over = new AbortController();
    const worker = async (at: number) => {
      while (!over.signal.aborted) {
        const { status } = await ask(clientOf(at % 2), tenant.key);
        if (status === 200) admittedAtMs.push(performance.now());
        else over.abort();
      }
    };
    const loser = async () => {
      for (let times = 0; times < 3 && !over.signal.aborted; times += 1) {
        await sleep(1500);
        lostAtMs.push(performance.now());
        await lose();
      }
    };
    await Promise.all([loser(), ...Array.from({ length: 8 }, (_, at) => worker(at))]);
    expect(lostAtMs.length).toBeGreaterThan(0);
    const atRisk = lostAtMs.map(
      (lostMs) =>
        admittedAtMs.filter((ms) => ms <= lostMs + 1000 && ms > lostMs - checkpointMs).length,
    );
    const extra = admittedAtMs.length - limit;
    expect(extra).toBeGreaterThanOrEqual(0);
    expect(extra).toBeLessThanOrEqual(atRisk.reduce((sum, count) => sum + count, 0));
    // It is used up, and stays so when the store forgets once more.
    await sleep(checkpointMs);
    await lose();
    expect((await ask(clientOf(1), tenant.key)).status).toBe(429);
    expect((await ask(clientOf(0), tenant.key)).status).toBe(429);
  });

  it('is told after an empty restart', async () => {
    const tenant = await makeTenant(clientOf(0));
    await ask(clientOf(0), tenant.key, 500);
    await sleep(checkpointMs);
    const { port } = redis;
    await redis.stop();
    redis = await startRedis({ port });
    const endMs = Date.now() + 20_000;
    let basis: unknown = null;
    while (basis !== 'exact') {
      if (Date.now() > endMs) throw new Error(`still ${String(basis)}`);
      const peek = { resource: 'r', subject: 'ann', cost: 0 };
      basis = (await clientOf(0).check(tenant.key, peek)).body['basis'];
      await sleep(50);
    }
    expect(await ask(clientOf(0), tenant.key)).toMatchObject(all(501));
  });
});

describe('a node that counts by itself', () => {
  it('knows after a kill what quotas have used, but for the last seconds', async () => {
    const { path, remove } = await makeDataDir();
    const settings = { SLUICE_DATA_DIR: path };
    const killed = await ChildNode.start(settings);
    const tenant = await makeTenant(killed.client);
    await ask(killed.client, tenant.key, 300);
    await sleep(checkpointMs);
    await ask(killed.client, tenant.key, 9);
    await killed.end('SIGKILL');
    const node = await startNode(settings);
    const { status: _, ...used } = await ask(node.client, tenant.key);
    for (const one of Object.values(used)) {
      expect(one).toBeGreaterThanOrEqual(301);
      expect(one).toBeLessThanOrEqual(310);
    }
    // Who is asked to end writes all of it.
    await node.stop();
    const next = await startNode(settings);
    expect(await ask(next.client, tenant.key)).toMatchObject(all(Number(used['plan']) + 1));
    await next.stop();
    await remove();
  }, 180_000);
});
