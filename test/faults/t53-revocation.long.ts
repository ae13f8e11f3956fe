import { Client } from 'pg';
import { openRedis } from '../servers/connect.ts';
import { startRedis } from '../servers/redis.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { campaign, isLong, sized } from './rig/campaign.ts';
import { countOf, failures, HttpLoad } from './rig/http-load.ts';
import { startService, type Service } from './rig/service.ts';
import { p99 } from './rig/statistics.ts';
import { setTimeout as sleep } from 'node:timers/promises';

const trials = sized({ short: 10, long: 200 });
const cutTrials = sized({ short: 3, long: 20 });
const nodeCount = isLong ? 8 : 3;
const check = { resource: 'GET:/orders', subject: 'ann' };
const limits = [
  { name: 'wide', algorithm: 'fixed_window', limit: 1e9, window_seconds: 3600 },
] as const;

campaign(
  'T53',
  'Revocation on eight nodes under load',
  async (report, cleanUp) => {
    const redis = await startRedis();
    cleanUp(() => redis.stop());
    // The first node's way to Redis can be cut: what it is told there, it can tell nobody.
    const proxy = await FaultProxy.start(redis.port);
    cleanUp(() => proxy.stop());
    const service = await startService(cleanUp, {
      redisUrl: redis.url,
      redisUrls: [`redis://127.0.0.1:${proxy.port}`],
      count: nodeCount,
      settings: { SLUICE_STORE_DEADLINE_MS: '1000' },
    });
    const { client, nodes } = service;
    const tenant = await client.makeTenant({ limits });
    const urls = nodes.map((node) => node.client.url);
    const load = new HttpLoad({ urls, key: () => tenant.key, perSecond: 40 });
    const keys = async (count: number) => {
      const made: { readonly id: string; readonly key: string }[] = [];
      for (let at = 0; at < count; at += 1) {
        made.push(await client.change('POST', 'keys', { tenant_id: tenant.id, name: `k${at}` }));
      }
      for (const { key } of made) await everywhere(service, key);
      return made;
    };

    const delaysMs: number[] = [];
    let accepted = 0;
    for (const { id, key } of await keys(trials)) {
      const askedMs = performance.now();
      // Any node but the last is told, and the last must know as well.
      await client.change('DELETE', `keys/${id}`);
      const statuses = await everywhere(service, key);
      accepted += statuses.filter((status) => status === 200).length;
      while ((await everywhere(service, key)).includes(200)) await sleep(5);
      delaysMs.push(performance.now() - askedMs);
    }
    report.exactly('accepted anywhere once the revocation was answered', accepted, 0);
    report.aim('p99 from asking until refused everywhere, ms', p99(delaysMs), 1000);

    const cutMs: number[] = [];
    const cutKeys = await keys(cutTrials);
    for (const { id, key } of cutKeys) {
      proxy.fault = { kind: 'swallow' };
      const startedMs = performance.now();
      await client.admin('DELETE', `keys/${id}`);
      const others = { ...service, nodes: nodes.slice(1) };
      while ((await everywhere(others, key)).includes(200)) await sleep(20);
      cutMs.push(performance.now() - startedMs);
      proxy.fault = { kind: 'pass' };
      proxy.cut();
      while ((await client.check(tenant.key, check)).body['basis'] !== 'exact') await sleep(20);
    }
    report.aim('slowest with the revoking node cut off from Redis, ms', Math.max(...cutMs), 5000);
    report.exactly('channels that nodes listen to', await listening(redis.url, service), 0);
    await load.stop();
    report.exactly('5xx or no answer', failures(load.samples), 0);
    report.note(`${nodeCount} nodes, ${trials} + ${cutTrials} keys`);
    report.note(`${countOf(load.samples, 'exact')} checks of others meanwhile`);
  },
  { takesMs: (trials + cutTrials) * 8000 },
);

function everywhere({ nodes }: Pick<Service, 'nodes'>, key: string): Promise<number[]> {
  return Promise.all(nodes.map(async ({ client }) => (await client.check(key, check)).status));
}

/** Nothing to cut: no node relies on being told by Redis or by PostgreSQL. */
async function listening(redisUrl: string, { databaseUrl }: Service): Promise<number> {
  const redis = openRedis(redisUrl);
  const clients = String(await redis.client('LIST'));
  redis.disconnect();
  const postgres = new Client({ connectionString: databaseUrl });
  await postgres.connect();
  const { rows } = await postgres.query<{ query: string }>(
    "SELECT query FROM pg_stat_activity WHERE query ILIKE 'listen%' AND datname = current_database()",
  );
  await postgres.end();
  return (clients.match(/ (sub|psub|ssub)=[1-9]/g) ?? []).length + rows.length;
}
