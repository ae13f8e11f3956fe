import { setTimeout as sleep } from 'node:timers/promises';
import { startRedis } from '../servers/redis.ts';
import { campaign, sized } from './rig/campaign.ts';
import { flood, type FloodResult } from './rig/flood.ts';
import { frozenFor } from './rig/freeze.ts';
import { failures, HttpLoad, p99OfSeconds, type Sample } from './rig/http-load.ts';
import { startService } from './rig/service.ts';

const spanMs = sized({ short: 2000, long: 20_000 });
const neighbourCount = 100;
/** What one tenant may do in a second; its neighbours do half of it, and the noisy one fifty times. */
const limitPerSecond = 10;
const neighboursPerSecond = (neighbourCount * limitPerSecond) / 2;
const floodPerSecond = 50 * limitPerSecond;
/** Ten times what may be under way for a free tenant. */
const floodConnections = 50;
const settleMs = 2000;
const p99TimesMax = 1.5;
const servedMin = 0.995;
const fairnessMin = 0.97;

campaign(
  'T70',
  'One tenant asks fifty times its limit, one as fast as it can, and one has a dead Redis of its own',
  async (report, cleanUp) => {
    const [shared, own] = await Promise.all([startRedis(), startRedis()]);
    cleanUp(() => Promise.all([shared.stop(), own.stop()]));
    const { client, url } = await startService(cleanUp, { redisUrl: shared.url });
    const bucket = {
      name: 'b',
      algorithm: 'token_bucket',
      bucket_capacity: limitPerSecond,
      refill_rate_per_sec: limitPerSecond,
    };
    const keys: string[] = [];
    for (let made = 0; made < neighbourCount; made += 1) {
      keys.push((await client.makeTenant({ tier: 'business', limits: [bucket] })).key);
    }
    const flooder = await client.makeTenant({ tier: 'free', limits: [bucket] });
    await client.change('POST', 'pools', { name: 'apart', redis_url: own.url });
    const apart = await client.makeTenant({ tier: 'business' });
    await client.change('PATCH', `tenants/${apart.id}`, { pool: 'apart' });

    const neighbours = new HttpLoad({
      urls: [url],
      key: (at) => keys[at % keys.length] as string,
      perSecond: neighboursPerSecond,
    });
    await sleep(settleMs);
    const flooded = async (name: string, pace: { readonly perSecond?: number }) => {
      const before = await during(neighbours, () => sleep(spanMs));
      const order = { url, keys: [flooder.key], connections: floodConnections, forMs: spanMs };
      let told: FloodResult | null = null;
      const then = await during(neighbours, async () => {
        told = await flood({ ...order, fromOthers: false, ...pace });
      });
      const { sent, statuses } = told as unknown as FloodResult;
      // From full, and for as long as the last of them took.
      const most = Math.ceil(limitPerSecond * (2 + spanMs / 1000));
      report.atMost(`let in of who floods ${name}`, statuses['200'] ?? 0, most);
      tell(`while one floods ${name}`, before, then);
      report.note(`flood ${name}: ${Math.round((1000 * sent) / spanMs)}/s`);
      await sleep(settleMs);
    };
    await flooded('at fifty times its limit', { perSecond: floodPerSecond });
    await flooded('as fast as it can', {});

    const others = new HttpLoad({ urls: [url], key: () => apart.key, perSecond: floodPerSecond });
    await sleep(settleMs);
    const well = await during(neighbours, () => sleep(spanMs));
    const dead = await during(neighbours, () => frozenFor(own.pid, spanMs));
    tell('while one’s Redis is dead', well, dead);
    await others.stop();
    await neighbours.stop();
    const all = [...neighbours.samples, ...others.samples];
    report.exactly('5xx or no answer', failures(all), 0);
    report.note(`${neighboursPerSecond}/s of ${neighbourCount} others, ${spanMs} ms each`);

    function tell(name: string, before: readonly Sample[], then: readonly Sample[]): void {
      const [beforeMs, thenMs] = [p99OfSeconds(before), p99OfSeconds(then)];
      report.aim(`p99 of others ${name}, times as before`, thenMs / beforeMs, p99TimesMax);
      const served = servedOf(then, keys.length);
      const missing = 1 - served.reduce((sum, count) => sum + count, 0) / then.length;
      report.aim(`others not served ${name}, %`, 100 * missing, 100 * (1 - servedMin));
      report.aim(`unfairness among others ${name}`, 1 - jain(served), 1 - fairnessMin);
      report.note(`p99 of others ${beforeMs.toFixed(1)} ms, ${name} ${thenMs.toFixed(1)} ms`);
    }
  },
  { takesMs: 8 * spanMs },
);

/** How many calls of each were let in by the store. */
function servedOf(samples: readonly Sample[], tenants: number): number[] {
  const served = Array.from({ length: tenants }, () => 0);
  for (const { at, status, basis } of samples) {
    if (status !== 200 || basis !== 'exact') continue;
    served[at % tenants] = (served[at % tenants] ?? 0) + 1;
  }
  return served;
}

/** Jain's index: 1 when all get the same, 1/n when one gets all. */
function jain(shares: readonly number[]): number {
  const sum = shares.reduce((all, one) => all + one, 0);
  const squares = shares.reduce((all, one) => all + one * one, 0);
  return (sum * sum) / (shares.length * squares);
}

async function during(load: HttpLoad, work: () => Promise<unknown>): Promise<readonly Sample[]> {
  const startMs = performance.now();
  await work();
  return load.between(startMs, performance.now());
}
