import { setTimeout as sleep } from 'node:timers/promises';
import { startRedis } from '../servers/redis.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { campaign, sized } from './rig/campaign.ts';
import { countOf, failures, HttpLoad } from './rig/http-load.ts';
import { startService } from './rig/service.ts';

const rounds = sized({ short: 1, long: 5 });
const nodeCount = sized({ short: 3, long: 8 });
const awayMs = 5000;
const binMs = 100;
const limit = { name: 'open', algorithm: 'fixed_window', limit: 1e9, window_seconds: 3600 };

campaign(
  'T26',
  'Redis killed, and restarted five seconds later',
  async (report, cleanUp) => {
    let redis = await startRedis();
    cleanUp(() => redis.stop());
    const proxy = await FaultProxy.start(redis.port);
    cleanUp(() => proxy.stop());
    const { client, nodes } = await startService(cleanUp, {
      redisUrl: `redis://127.0.0.1:${proxy.port}`,
      count: nodeCount,
    });
    const { key } = await client.makeTenant({ limits: [limit] });
    const urls = nodes.map((node) => node.client.url);
    const load = new HttpLoad({ urls, key: () => key, perSecond: 40 * nodeCount });
    await sleep(1500);
    const backMs: number[] = [];
    let [tries, mostInBin] = [0, 0];
    for (let round = 0; round < rounds; round += 1) {
      const { port } = redis;
      const killedMs = performance.now();
      await redis.stop();
      await sleep(awayMs);
      redis = await startRedis({ port });
      const openMs = performance.now();
      const isBack = () => {
        const recent = load.between(openMs, Infinity);
        return nodes.every((_, node) =>
          recent.some((one) => one.node === node && one.basis === 'exact'),
        );
      };
      while (!isBack() && performance.now() < openMs + 20_000) await sleep(10);
      backMs.push(performance.now() - openMs);
      const during = proxy.acceptedAtMs.filter((ms) => ms > killedMs && ms < openMs);
      tries += during.length;
      const bins = new Map<number, number>();
      for (const ms of during)
        bins.set(Math.floor(ms / binMs), (bins.get(Math.floor(ms / binMs)) ?? 0) + 1);
      mostInBin = Math.max(mostInBin, ...[...bins.values()].map((count) => count / during.length));
    }
    await load.stop();
    report.exactly('5xx or no answer', failures(load.samples), 0);
    report.aim('until every node is exact again, ms', Math.max(...backMs), 2000);
    report.aim(
      'tries to connect a second and node',
      tries / rounds / nodeCount / (awayMs / 1000),
      4,
    );
    report.aim('largest share of tries in 100 ms', mostInBin, 0.3);
    report.note(
      `${rounds} times, ${nodeCount} nodes, ${countOf(load.samples, 'fail_open')} let in without it`,
    );
  },
  { takesMs: rounds * 30_000 + nodeCount * 20_000 },
);
