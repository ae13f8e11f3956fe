import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../servers/postgres.ts';
import { startRedis } from '../servers/redis.ts';
import { freshDatabase } from '../support/databases.ts';
import { campaign, sized } from './rig/campaign.ts';
import { countOf, failures, HttpLoad } from './rig/http-load.ts';
import { startService } from './rig/service.ts';

const forMs = sized({ short: 3000, long: 600_000 });

campaign(
  'T61',
  'PostgreSQL away for ten minutes',
  async (report, cleanUp) => {
    const durable = { synchronous_commit: 'on' };
    const [postgres, redis] = await Promise.all([
      startPostgres({ settings: durable }),
      startRedis(),
    ]);
    cleanUp(() => Promise.all([postgres.stop(), redis.stop()]));
    const { url: databaseUrl } = await freshDatabase(postgres.url);
    const { client, url } = await startService(cleanUp, {
      redisUrl: redis.url,
      databaseUrl,
      settings: { SLUICE_STORE_DEADLINE_MS: '1000' },
    });
    const limit = { name: 'w', algorithm: 'fixed_window', limit: 1e9, window_seconds: 3600 };
    const { key, id, planId } = await client.makeTenant({ limits: [limit] });
    await client.check(key, { resource: 'GET:/', subject: 'ann' });
    const load = new HttpLoad({ urls: [url], key: () => key, perSecond: 50 });
    await sleep(500);
    const haltMs = performance.now();
    await postgres.halt();
    const adminTold = new Map<number, number>();
    while (performance.now() < haltMs + forMs) {
      const answers = await Promise.all([
        client.admin('GET', 'tenants'),
        client.admin('PATCH', `tenants/${id}`, { name: 'not now' }),
      ]);
      for (const { status } of answers) adminTold.set(status, (adminTold.get(status) ?? 0) + 1);
      await sleep(500);
    }
    await postgres.resume();
    const backMs = performance.now();
    const changed = { limits: [{ ...limit, limit: 7 }] };
    while ((await client.admin('PATCH', `plans/${planId}`, changed)).status !== 200) {
      await sleep(20);
    }
    const seen = async () => (await client.check(key, { resource: 'GET:/', subject: 'bob' })).body;
    while (Number((await seen())['limit']) !== 7) await sleep(5);
    const visibleMs = performance.now() - backMs;
    await load.stop();
    const during = load.between(haltMs, backMs);
    const otherAdmin = [...adminTold].filter(([status]) => status !== 503);
    report.exactly('5xx or no answer to checks', failures(load.samples), 0);
    report.exactly('checks not decided exactly', during.length - countOf(during, 'exact'), 0);
    report.exactly('admin answers other than 503', otherAdmin.length, 0);
    report.aim('from its return until a change is in force, ms', visibleMs, 2000);
    report.note(`${forMs} ms, ${during.length} checks`);
  },
  { takesMs: forMs + 30_000 },
);
