import { setTimeout as sleep } from 'node:timers/promises';
import { startRemoteRedis } from './rig/black-hole.ts';
import { campaign, sized } from './rig/campaign.ts';
import { countOf, failures, HttpLoad, times } from './rig/http-load.ts';
import { eventLoopP99Ms, memoryMb, startService } from './rig/service.ts';
import { p99 } from './rig/statistics.ts';

const perSecond = sized({ short: 200, long: 2000 });
const forMs = sized({ short: 2000, long: 60_000 });
const deadlineMs = 50;
const openLimit = {
  name: 'open',
  algorithm: 'fixed_window',
  limit: 1_000_000_000,
  window_seconds: 3600,
};

campaign(
  'T22',
  'Redis behind a dead link',
  async (report, cleanUp) => {
    const redis = await startRemoteRedis();
    if (!redis) return report.note('not shown: needs root, unshare, nsenter and ip');
    cleanUp(() => redis.stop());
    const { client, url } = await startService(cleanUp, { redisUrl: redis.url });
    const { key } = await client.makeTenant({ limits: [openLimit] });
    await client.check(key, { resource: 'GET:/', subject: 'ann' });
    const load = new HttpLoad({ urls: [url], key: () => key, perSecond });
    await sleep(1500);
    const beforeMb = await memoryMb(client);
    await eventLoopP99Ms(client);
    const cutMs = performance.now();
    await redis.cutLink();
    await sleep(forMs);
    const [loopMs, afterMb] = [await eventLoopP99Ms(client), await memoryMb(client)];
    const mendedMs = performance.now();
    await redis.mendLink();
    const isBack = () => countOf(load.between(mendedMs, Infinity), 'exact') > 0;
    const patienceMs = mendedMs + 20_000;
    while (!isBack() && performance.now() < patienceMs) await sleep(20);
    const backMs = performance.now() - mendedMs;
    await load.stop();
    const [first, later] = [load.between(cutMs, cutMs + 500), load.between(cutMs + 500, mendedMs)];
    report.exactly('5xx or no answer', failures(load.samples), 0);
    report.exactly(
      'refused under “open”',
      load.samples.filter((one) => one.status === 429).length,
      0,
    );
    report.aim('p99 in the first 500 ms, ms', p99(times(first)), deadlineMs + 10);
    report.aim('p99 after that, ms', p99(times(later)), 5);
    report.aim('slowest, ms', Math.max(...times([...first, ...later])), 2 * deadlineMs);
    report.aim('growth of memory, MB', afterMb - beforeMb, 20);
    report.aim('event-loop delay p99, ms', loopMs, 20);
    const before = p99(times(load.between(cutMs - 1000, cutMs))).toFixed(1);
    report.note(
      `${perSecond}/s for ${forMs} ms; p99 before ${before} ms; exact again ${Math.round(backMs)} ms after`,
    );
  },
  { takesMs: forMs + 25_000 },
);
