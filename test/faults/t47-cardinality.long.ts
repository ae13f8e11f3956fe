import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { openRedis } from '../servers/connect.ts';
import { startRedis } from '../servers/redis.ts';
import { bound, limitOf, question } from '../support/limits.ts';
import { keysOf, openStore } from '../support/store.ts';
import { campaign, sized } from './rig/campaign.ts';
import { failures, HttpLoad, p99OfSeconds } from './rig/http-load.ts';
import { memoryMb, startService } from './rig/service.ts';

const subjects = sized({ short: 4000, long: 2_000_000 });
/** Subjects invented in a second. */
const perSecond = 5000;
const allowance = sized({ short: 500, long: 20_000 });
const batch = 50;
/** What one counter may take with all that belongs to it, of 133 bytes by themselves. */
const bytesPerCounterMax = 300;
const windowS = 2;
const quietSpanMs = sized({ short: 1500, long: 20_000 });
/** What tenants have whoever calls, such as the ledger of each minute: no more of more subjects. */
const tenantKeysMax = 200;

campaign(
  'T47',
  'One tenant invents subjects',
  async (report, cleanUp) => {
    const server = await startRedis();
    cleanUp(() => server.stop());
    const redis = openRedis(server.url);
    cleanUp(() => redis.disconnect());

    // Counters that stay: beyond its allowance a tenant makes no more.
    const countersPerHour = allowance;
    const store = openStore({
      url: server.url,
      allowances: { countersPerHour, recordsPerHour: 1 },
    });
    cleanUp(() => store.close());
    const long = limitOf({
      algorithm: 'fixed_window',
      limit: 10,
      window: '2 h',
      align: 'first_request',
    });
    const invent = async (id: string, from: number) => {
      const questions = Array.from({ length: batch }, (_, at) =>
        question([bound(long, 1, [`invented-${from + at}`])]),
      );
      await store.engine.decide({ tenant: { id }, questions });
    };
    // What the script and the connection take is nobody's counter.
    await invent('another', 0);
    const [bytesBefore, keysBefore] = [await bytesOf(redis), await redis.dbsize()];
    for (let from = 0; from < 2 * allowance; from += batch) await invent('inventive', from);
    const bytes = (await bytesOf(redis)) - bytesBefore;
    const made = (await redis.dbsize()) - keysBefore;
    report.atMost('counters of one tenant', made, allowance + 5);
    report.atMost('bytes of Redis per counter allowed', bytes / allowance, bytesPerCounterMax);

    // A service under such a flood, of counters that are soon forgotten.
    const { client, url } = await startService(cleanUp, { redisUrl: server.url });
    const short = { name: 's', algorithm: 'fixed_window', limit: 5, window_seconds: windowS };
    const [attacker, neighbour] = [
      await client.makeTenant({ limits: [short] }),
      await client.makeTenant(),
    ];
    const idle = new Set(await keysOf(redis, ''));
    const load = new HttpLoad({ urls: [url], key: () => neighbour.key, perSecond: 50 });
    await sleep(1500);
    const quietMs = performance.now();
    await sleep(quietSpanMs);
    const floodedMs = performance.now();
    const beforeMb = await memoryMb(client);
    let flooded = 0;
    let refusedBatches = 0;
    for (let from = 0; from < subjects; from += batch) {
      const earlyMs = floodedMs + (from * 1000) / perSecond - performance.now();
      if (earlyMs > 1) await sleep(earlyMs);
      const checks = Array.from({ length: batch }, (_, at) => ({
        resource: 'GET:/',
        subject: `invented-${from + at}`,
      }));
      const { status } = await client.checks(attacker.key, checks);
      if (status !== 200) refusedBatches += 1;
      flooded += batch;
    }
    const tookS = (performance.now() - floodedMs) / 1000;
    const afterMb = await memoryMb(client);
    await load.stop();
    report.exactly('5xx or no answer', failures(load.samples) + refusedBatches, 0);
    report.aim('growth of the node’s memory, MB', afterMb - beforeMb, 50);
    const [quiet, busy] = [load.between(quietMs, floodedMs), load.between(floodedMs, Infinity)];
    report.aim(
      'another tenant’s p99, times as before',
      p99OfSeconds(busy) / p99OfSeconds(quiet),
      1.5,
    );
    const endMs = performance.now() + 15_000;
    let left: readonly string[];
    do {
      await sleep(250);
      left = (await keysOf(redis, '')).filter((key) => !idle.has(key));
    } while (left.length > tenantKeysMax && performance.now() < endMs);
    report.atMost('keys left once idle, of all subjects', left.length, tenantKeysMax);
    report.exactly('keys without an end', await endless(redis), 0);
    report.note(`${flooded} subjects in ${tookS.toFixed(0)} s, ${Math.round(flooded / tookS)}/s`);
  },
  { takesMs: subjects },
);

async function bytesOf(redis: Redis): Promise<number> {
  return Number(/used_memory_dataset:(\d+)/.exec(await redis.info('memory'))?.[1]);
}

async function endless(redis: Redis): Promise<number> {
  const keys = await keysOf(redis, '');
  const ttls = await Promise.all(keys.map((key) => redis.pttl(key)));
  return ttls.filter((ttl) => ttl === -1).length;
}
