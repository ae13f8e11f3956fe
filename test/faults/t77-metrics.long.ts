import { setTimeout as sleep } from 'node:timers/promises';
import { startRedis } from '../servers/redis.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { campaign, sized } from './rig/campaign.ts';
import { HttpLoad } from './rig/http-load.ts';
import { metricOf, startService } from './rig/service.ts';

const forMs = sized({ short: 2000, long: 30_000 });
const perSecond = sized({ short: 100, long: 500 });
const patienceMs = 15_000;
/** Half of what is asked for before Redis goes. */
const size = Math.floor((perSecond * forMs) / 2000);
const limit = { name: 'w', algorithm: 'fixed_window', limit: size, window_seconds: 86_400 };

// To the unit, and against the ledger: test/platform/usage/truth.test.ts, every day. Here under load
// and with Redis gone for a third of it.
campaign(
  'T77',
  'Metrics against what callers saw',
  async (report, cleanUp) => {
    const redis = await startRedis();
    cleanUp(() => redis.stop());
    const proxy = await FaultProxy.start(redis.port);
    cleanUp(() => proxy.stop());
    const { client, nodes } = await startService(cleanUp, {
      redisUrl: `redis://127.0.0.1:${proxy.port}`,
      count: 2,
    });
    const { key } = await client.makeTenant({ limits: [limit] });
    const urls = nodes.map((node) => node.client.url);
    const load = new HttpLoad({ urls, key: () => key, perSecond });
    await sleep(forMs);
    proxy.fault = { kind: 'swallow' };
    await sleep(forMs / 2);
    proxy.fault = { kind: 'pass' };
    proxy.cut();
    await sleep(forMs / 2);
    const samples = await load.stop();
    const seen = {
      allowed: samples.filter((one) => one.status === 200 && one.basis === 'exact').length,
      blocked: samples.filter((one) => one.status === 429).length,
      degraded: samples.filter((one) => one.basis === 'fail_open').length,
    };
    const told = async (outcome: string) => {
      const name = `requests_total\\{[^}]*outcome="${outcome}"[^}]*\\}`;
      const all = await Promise.all(nodes.map((node) => metricOf(node.client, name)));
      return all.reduce((sum, count) => sum + (count || 0), 0);
    };
    // Checks are counted off the path of their answers.
    const endMs = performance.now() + patienceMs;
    const outcomes = Object.entries(seen);
    const differences = () =>
      Promise.all(outcomes.map(async ([name, count]) => (await told(name)) - count));
    while ((await differences()).some((one) => one !== 0) && performance.now() < endMs) {
      await sleep(200);
    }
    const different = await differences();
    for (const [at, [name]] of outcomes.entries()) {
      report.exactly(`difference of ${name}`, different[at] ?? Number.NaN, 0);
    }
    report.note(outcomes.map(([name, count]) => `${name} ${count}`).join(', '));
  },
  { takesMs: 2 * forMs + patienceMs + 30_000 },
);
