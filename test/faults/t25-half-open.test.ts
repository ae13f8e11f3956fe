import { setTimeout as sleep } from 'node:timers/promises';
import { startRedis } from '../servers/redis.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { campaign, sized } from './rig/campaign.ts';
import { failures, HttpLoad } from './rig/http-load.ts';
import { startService } from './rig/service.ts';

const rounds = sized({ short: 1, long: 10 });
const patienceMs = sized({ short: 5000, long: 15_000 });
const limit = { name: 'open', algorithm: 'fixed_window', limit: 1e9, window_seconds: 3600 };

campaign(
  'T25',
  'Sockets that go silent while new ones work',
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
    const load = new HttpLoad({ urls: [url], key: () => key, perSecond: 100 });
    const [foundMs, exactMs]: [number[], number[]] = [[], []];
    let never = 0;
    for (let round = 0; round < rounds; round += 1) {
      await sleep(1000);
      const silentMs = performance.now();
      proxy.silence();
      const since = (isSo: () => boolean) => waitFor(isSo, silentMs + patienceMs);
      const isFound = await since(() => (proxy.acceptedAtMs.at(-1) ?? 0) > silentMs);
      foundMs.push(isFound ? (proxy.acceptedAtMs.at(-1) ?? 0) - silentMs : Infinity);
      const isBack = () =>
        load.samples.slice(-20).some((one) => one.startedMs > silentMs && one.basis === 'exact');
      const isExact = await since(isBack);
      exactMs.push(isExact ? performance.now() - silentMs : Infinity);
      if (!isFound || !isExact) {
        never += 1;
        // Nothing more is learnt from who never comes back.
        proxy.cut();
        break;
      }
    }
    await load.stop();
    report.exactly('5xx or no answer', failures(load.samples), 0);
    report.exactly(`times not back within ${patienceMs} ms`, never, 0);
    report.aim('until the dead socket was replaced, ms', Math.max(...foundMs), 1250);
    report.aim('until exact again, ms', Math.max(...exactMs), 2500);
    report.note(`${rounds} times`);
  },
  { takesMs: rounds * (patienceMs + 2000) },
);

async function waitFor(isSo: () => boolean, untilMs: number): Promise<boolean> {
  while (!isSo()) {
    if (performance.now() > untilMs) return false;
    await sleep(10);
  }
  return true;
}
