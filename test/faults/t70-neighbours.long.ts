import { setTimeout as sleep } from 'node:timers/promises';
import { startRedis } from '../servers/redis.ts';
import { campaign, sized } from './rig/campaign.ts';
import { flood } from './rig/flood.ts';
import { frozenFor } from './rig/freeze.ts';
import { failures, HttpLoad, times, type Sample } from './rig/http-load.ts';
import { startService } from './rig/service.ts';
import { p99 } from './rig/statistics.ts';

const spanMs = sized({ short: 2000, long: 20_000 });
const neighbourCount = 10;
const perSecond = 100;
/** Of a free tenant. */
const inFlightMax = 5;
const allowed = 500;
const p99TimesMax = 1.5;
const servedMin = 0.995;

campaign(
  'T70',
  'One tenant floods, and one tenant’s own Redis stands still',
  async (report, cleanUp) => {
    const [shared, own] = await Promise.all([startRedis(), startRedis()]);
    cleanUp(() => Promise.all([shared.stop(), own.stop()]));
    const { client, url } = await startService(cleanUp, { redisUrl: shared.url });
    const keys = await Promise.all(
      Array.from({ length: neighbourCount }, async () => {
        return (await client.makeTenant({ tier: 'business' })).key;
      }),
    );
    const window = { algorithm: 'fixed_window', window_seconds: 3600 };
    const flooder = await client.makeTenant({
      tier: 'free',
      limits: [{ ...window, name: 'w', limit: allowed }],
    });
    await client.change('POST', 'pools', { name: 'apart', redis_url: own.url });
    const apart = await client.makeTenant({ tier: 'business' });
    await client.change('PATCH', `tenants/${apart.id}`, { pool: 'apart' });

    const neighbours = new HttpLoad({
      urls: [url],
      key: (at) => keys[at % keys.length] as string,
      perSecond,
    });
    await sleep(2000);
    const quiet = await during(neighbours, () => sleep(spanMs));
    const flooding = { url, keys: [flooder.key], connections: 10 * inFlightMax, forMs: spanMs };
    let statuses: Readonly<Record<string, number>> = {};
    const flooded = await during(neighbours, async () => {
      ({ statuses } = await flood({ ...flooding, fromOthers: false }));
    });
    report.exactly('let in beyond the flooder’s limit', (statuses['200'] ?? 0) - allowed, 0);
    tell('while one floods', quiet, flooded);

    const others = new HttpLoad({ urls: [url], key: () => apart.key, perSecond });
    await sleep(2000);
    const well = await during(neighbours, () => sleep(spanMs));
    const dead = await during(neighbours, () => frozenFor(own.pid, spanMs));
    tell('while one’s Redis is dead', well, dead);
    await others.stop();
    await neighbours.stop();
    const all = [...neighbours.samples, ...others.samples];
    report.exactly('5xx or no answer', failures(all), 0);
    report.note(`${perSecond}/s of ${neighbourCount} others, ${spanMs} ms each`);

    function tell(name: string, before: readonly Sample[], then: readonly Sample[]): void {
      const ratio = p99(times(then)) / p99(times(before));
      report.aim(`p99 of others ${name}, times as before`, ratio, p99TimesMax);
      const exact = then.filter(({ status, basis }) => status === 200 && basis === 'exact');
      report.aim(
        `others not served ${name}, %`,
        100 * (1 - exact.length / then.length),
        100 * (1 - servedMin),
      );
      report.note(
        `p99 of others ${p99(times(before)).toFixed(1)} ms, ${name} ${p99(times(then)).toFixed(1)} ms`,
      );
    }
  },
  { takesMs: 6 * spanMs },
);

async function during(load: HttpLoad, work: () => Promise<unknown>): Promise<readonly Sample[]> {
  const startMs = performance.now();
  await work();
  return load.between(startMs, performance.now());
}
