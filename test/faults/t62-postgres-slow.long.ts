import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { statementLog, statementsDuring, withoutBackground } from '../platform/rig/statements.ts';
import { startPostgres } from '../servers/postgres.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { freshDatabase } from '../support/databases.ts';
import { campaign, sized } from './rig/campaign.ts';
import { countOf, failures, HttpLoad, p99OfSeconds } from './rig/http-load.ts';
import { startService } from './rig/service.ts';

const forMs = sized({ short: 3000, long: 60_000 });
const delayMs = 5000;

campaign(
  'T62',
  'PostgreSQL answers five seconds late',
  async (report, cleanUp) => {
    const postgres = await startPostgres({ settings: statementLog });
    cleanUp(() => postgres.stop());
    const proxy = await FaultProxy.start(postgres.port);
    cleanUp(() => proxy.stop());
    const proxied = new URL((await freshDatabase(postgres.url)).url);
    proxied.port = String(proxy.port);
    const { client, url } = await startService(cleanUp, {
      redisUrl: inject('redisUrl'),
      databaseUrl: proxied.href,
      settings: { SLUICE_STORE_DEADLINE_MS: '1000' },
    });
    const tenants = await Promise.all(Array.from({ length: 5 }, () => client.makeTenant()));
    for (const { key } of tenants) await client.check(key, { resource: 'GET:/', subject: 'ann' });
    const key = (at: number) => tenants[at % tenants.length]?.key ?? '';
    const load = new HttpLoad({ urls: [url], key, perSecond: 50 });
    await sleep(forMs);
    const slowMs = performance.now();
    proxy.fault = { kind: 'delay', ms: delayMs };
    const statements = await statementsDuring(postgres, () => sleep(forMs));
    // Those who ask the admin API take all connections there are.
    const pool = Array.from({ length: 20 }, () => client.admin('GET', 'tenants'));
    await sleep(forMs);
    const endMs = performance.now();
    proxy.fault = { kind: 'pass' };
    await Promise.allSettled(pool);
    await load.stop();
    const [before, during] = [load.between(0, slowMs), load.between(slowMs, endMs)];
    report.exactly('5xx or no answer', failures(load.samples), 0);
    report.exactly('checks not decided exactly', during.length - countOf(during, 'exact'), 0);
    report.exactly('queries on the path of checks', withoutBackground(statements).length, 0);
    report.aim('p99, times as before', p99OfSeconds(during) / p99OfSeconds(before), 1.2);
    report.note(
      `${forMs} ms, ${during.length} checks, p99 before ${p99OfSeconds(before).toFixed(1)} ms`,
    );
  },
  { takesMs: 3 * forMs + 30_000 },
);
