import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { openRedis } from '../servers/connect.ts';
import { startRedis } from '../servers/redis.ts';
import { campaign, sized } from './rig/campaign.ts';
import { failures, HttpLoad } from './rig/http-load.ts';
import { startService } from './rig/service.ts';

const rounds = sized({ short: 1, long: 10 });
const limit = { name: 'open', algorithm: 'fixed_window', limit: 1e9, window_seconds: 3600 };

/** One address, as of a balancer: who is behind it changes, and its connections stay open. */
campaign(
  'T29',
  'Redis demoted and promoted again under live sockets',
  async (report, cleanUp) => {
    const [redis, other] = await Promise.all([startRedis(), startRedis()]);
    cleanUp(() => Promise.all([redis.stop(), other.stop()]));
    const admin: Redis = openRedis(redis.url);
    cleanUp(() => admin.disconnect());
    const { client, url } = await startService(cleanUp, { redisUrl: redis.url });
    const { key } = await client.makeTenant({ limits: [limit] });
    await client.check(key, { resource: 'GET:/', subject: 'ann' });
    const load = new HttpLoad({ urls: [url], key: () => key, perSecond: 100 });
    const backMs: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await sleep(700);
      await admin.replicaof('127.0.0.1', other.port);
      await sleep(700);
      await admin.replicaof('NO', 'ONE');
      const startMs = performance.now();
      const isBack = () =>
        load.samples.slice(-20).some((one) => one.startedMs > startMs && one.basis === 'exact');
      while (!isBack() && performance.now() < startMs + 20_000) await sleep(10);
      backMs.push(isBack() ? performance.now() - startMs : Infinity);
    }
    await load.stop();
    const told = new Set(load.samples.map(({ reason }) => reason));
    const bare = load.samples.filter(
      ({ status, basis }) => status !== 200 || basis === null,
    ).length;
    report.exactly('5xx or no answer', failures(load.samples), 0);
    report.exactly('answers other than exact or degraded', bare, 0);
    report.aim('until exact again, ms', Math.max(...backMs), 2000);
    report.note(`${rounds} times; reasons told: ${[...told].filter(Boolean).join(', ')}`);
  },
  { takesMs: rounds * 25_000 },
);
