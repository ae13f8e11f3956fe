import { setTimeout as sleep } from 'node:timers/promises';
import { openCluster, openRedis } from '../servers/connect.ts';
import { startRedisCluster } from '../servers/redis-cluster.ts';
import { campaign, sized } from './rig/campaign.ts';
import { failures, HttpLoad, p99OfSeconds, type Sample } from './rig/http-load.ts';
import { startService } from './rig/service.ts';

const perSecond = sized({ short: 60, long: 300 });
const tenantCount = 24;
const patienceMs = 30_000;
const limit = { name: 'open', algorithm: 'fixed_window', limit: 1e9, window_seconds: 3600 };

campaign(
  'T30',
  'One primary of a Cluster killed, another frozen',
  async (report, cleanUp) => {
    const servers = await startRedisCluster({ nodeTimeoutMs: 1000 });
    cleanUp(() => servers.stop());
    const cluster = openCluster(servers.nodes);
    cleanUp(() => cluster.disconnect());
    // By default a cluster that misses one slot serves none.
    const urls = servers.nodes.map(({ host, port }) => `redis://${host}:${port}`);
    for (const one of urls) {
      const server = openRedis(one);
      await server.config('SET', 'cluster-require-full-coverage', 'no');
      server.disconnect();
    }
    const { client, url } = await startService(cleanUp, { redisUrl: urls.join(',') });
    const tenants = await Promise.all(
      Array.from({ length: tenantCount }, () => client.makeTenant({ limits: [limit] })),
    );
    for (const { key } of tenants) await client.check(key, { resource: 'GET:/', subject: 'ann' });
    const key = (at: number) => tenants[at % tenantCount]?.key ?? '';
    const load = new HttpLoad({ urls: [url], key, perSecond });
    await sleep(4000);
    const quiet = load.between(0, performance.now());
    let dead = 0;
    for (const how of ['killed', 'frozen'] as const) {
      const ports = cluster.nodes('master').map((node) => node.options.port);
      // A cluster client may go on naming one that is dead.
      const victim = servers.servers.find(({ port }) => ports.includes(port) && port !== dead);
      if (!victim) throw new Error('the cluster has no primary');
      const startMs = performance.now();
      if (how === 'killed') dead = victim.port;
      if (how === 'killed') await victim.stop();
      else process.kill(victim.pid, 'SIGSTOP');
      await sleep(1000);
      const isBack = () => {
        const recent = load.between(performance.now() - 600, performance.now() - 100);
        return recent.length > 10 && recent.every(({ basis }) => basis === 'exact');
      };
      while (!isBack() && performance.now() < startMs + patienceMs) await sleep(20);
      const tookMs = isBack() ? performance.now() - startMs : Infinity;
      if (how === 'frozen') process.kill(victim.pid, 'SIGCONT');
      const during = load.between(startMs, performance.now());
      const hit = new Set([...tenants.keys()].filter((tenant) => wasHit(during, tenant)));
      const others = during.filter(({ at }) => !hit.has(at % tenantCount));
      const ratio = p99OfSeconds(others) / p99OfSeconds(quiet);
      report.aim(`until all slots are exact again (${how}), ms`, tookMs, 5000);
      report.aim(`p99 of other slots (${how}), times as before`, ratio, 1.2);
      report.note(`${how}: ${hit.size} of ${tenantCount} tenants were decided without the store`);
      await sleep(3000);
    }
    await load.stop();
    report.exactly('5xx or no answer', failures(load.samples), 0);
    report.note(`${perSecond}/s`);
  },
  { takesMs: 2 * patienceMs + 60_000 },
);

/** A tenant has one slot. On a busy machine anyone may be late once, so that once is not enough. */
function wasHit(during: readonly Sample[], tenant: number): boolean {
  const own = during.filter(({ at }) => at % tenantCount === tenant);
  const without = own.filter(({ basis }) => basis !== 'exact').length;
  return without > 0.3 * own.length;
}
