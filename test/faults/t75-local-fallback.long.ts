import { setTimeout as sleep } from 'node:timers/promises';
import { startRedis } from '../servers/redis.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { campaign, isLong, sized } from './rig/campaign.ts';
import { failures, HttpLoad, type Sample } from './rig/http-load.ts';
import { startService } from './rig/service.ts';

const nodeCount = isLong ? 8 : 3;
const cutCount = 3;
const cutMs = sized({ short: 3000, long: 60_000 });
const bucket = { capacity: 400, refillPerSecond: 40 };

campaign(
  'T75',
  'What is let in on shares while Redis is away',
  async (report, cleanUp) => {
    const redis = await startRedis();
    cleanUp(() => redis.stop());
    const proxies = await Promise.all(
      Array.from({ length: nodeCount }, () => FaultProxy.start(redis.port)),
    );
    cleanUp(() => Promise.all(proxies.map((proxy) => proxy.stop())));
    const { client, nodes } = await startService(cleanUp, {
      redisUrl: redis.url,
      redisUrls: proxies.map(({ port }) => `redis://127.0.0.1:${port}`),
      count: nodeCount,
    });
    const urls = nodes.map((node) => node.client.url);
    const limit = {
      name: 'shared',
      algorithm: 'token_bucket',
      bucket_capacity: bucket.capacity,
      refill_rate_per_sec: bucket.refillPerSecond,
      on_store_failure: 'local',
    };
    for (const { name, cut } of [
      { name: `all ${nodeCount} nodes`, cut: nodeCount },
      { name: `${cutCount} of ${nodeCount} nodes`, cut: cutCount },
    ]) {
      const tenant = await client.makeTenant({ limits: [limit] }).catch((error: unknown) => {
        report.note(`not shown: ${String(error).slice(0, 160)}`);
        return null;
      });
      if (!tenant) return;
      const { key } = tenant;
      // Twice of what the limit lets in, at every node: the key is hot before the cut.
      const perSecond = 2 * bucket.refillPerSecond;
      const load = new HttpLoad({ urls, key: () => key, perSecond });
      await sleep(8000);
      const startMs = performance.now();
      for (const proxy of proxies.slice(0, cut)) {
        proxy.fault = { kind: 'swallow' };
        proxy.cut();
      }
      await sleep(cutMs);
      const endMs = performance.now();
      for (const proxy of proxies) {
        proxy.fault = { kind: 'pass' };
        proxy.cut();
      }
      await load.stop();
      const spanS = (endMs - startMs) / 1000;
      const admitted = load.between(startMs, endMs).filter(isLetIn).length;
      const whole = bucket.capacity + bucket.refillPerSecond * spanS;
      const bound = cut === nodeCount ? whole : whole * (1 + cut / nodeCount);
      report.atMost(`let in with ${name} cut off`, admitted, Math.ceil(bound));
      report.exactly(`5xx or no answer with ${name} cut off`, failures(load.samples), 0);
      await sleep(3000);
    }
    report.note(`${cutMs} ms each`);
  },
  { takesMs: 2 * cutMs + nodeCount * 20_000 + 60_000 },
);

function isLetIn({ status }: Sample): boolean {
  return status === 200;
}
