import { setTimeout as sleep } from 'node:timers/promises';
import { startRedis } from '../servers/redis.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { campaign, isLong, sized } from './rig/campaign.ts';
import { freezing } from './rig/freeze.ts';
import { failures, HttpLoad, times } from './rig/http-load.ts';
import { memoryMb, metricOf, startService } from './rig/service.ts';
import { p99 } from './rig/statistics.ts';

const forMs = sized({ short: 1500, long: 60_000 });
const perSecond = sized({ short: 100, long: 1000 });
const deadlineMs = 50;
const limit = { name: 'open', algorithm: 'fixed_window', limit: 1e9, window_seconds: 3600 };

campaign(
  'T24',
  'Slow Redis: 200 ms late, then frozen for 300 ms of every second',
  async (report, cleanUp) => {
    const redis = await startRedis();
    cleanUp(() => redis.stop());
    const proxy = await FaultProxy.start(redis.port);
    cleanUp(() => proxy.stop());
    const { client, url } = await startService(cleanUp, {
      redisUrl: `redis://127.0.0.1:${proxy.port}`,
    });
    const { key } = await client.makeTenant({ limits: [limit] });
    await client.check(key, { resource: 'GET:/', subject: 'ann' });
    const load = new HttpLoad({ urls: [url], key: () => key, perSecond });
    await sleep(1000);
    const changes = async () => (await metricOf(client, 'rl_breaker_changes_total')) || 0;
    const [beforeMb, changesBefore] = [await memoryMb(client), await changes()];
    const slowMs = performance.now();
    proxy.fault = { kind: 'delay', ms: 200 };
    await sleep(forMs);
    const changesSlow = (await changes()) - changesBefore;
    proxy.fault = { kind: 'pass' };
    const frozenMs = performance.now();
    // The everyday form leaves this to the other.
    if (isLong) {
      const freezer = freezing(redis.pid, { forMs: 300, everyMs: 1000 });
      await sleep(forMs);
      await freezer.stop();
    }
    const endMs = performance.now();
    const afterMb = await memoryMb(client);
    await load.stop();
    const [slow, frozen] = [load.between(slowMs, frozenMs), load.between(frozenMs, endMs)];
    const perMinute = changesSlow / (forMs / 60_000);
    report.exactly('5xx or no answer', failures(load.samples), 0);
    report.exactly(
      'refused under “open”',
      load.samples.filter((one) => one.status === 429).length,
      0,
    );
    report.aim('p99 while 200 ms late, ms', p99(times(slow)), deadlineMs + 10);
    if (isLong) report.aim('p99 while it stutters, ms', p99(times(frozen)), deadlineMs + 10);
    if (isLong) report.aim('changes of the breaker a minute', perMinute, 6);
    report.aim('growth of memory, MB', afterMb - beforeMb, 20);
    report.note(`${perSecond}/s for ${forMs} ms each`);
  },
  { takesMs: 2 * forMs + 20_000 },
);
