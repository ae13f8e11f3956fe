import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { mint } from '../../platform/src/control/credentials/credential.ts';
import { statementLog, statementsDuring, withoutBackground } from '../platform/rig/statements.ts';
import { startPostgres } from '../servers/postgres.ts';
import { freshDatabase } from '../support/databases.ts';
import { campaign, sized } from './rig/campaign.ts';
import { flood, type FloodResult } from './rig/flood.ts';
import { failures, HttpLoad, times } from './rig/http-load.ts';
import { startService } from './rig/service.ts';
import { p99 } from './rig/statistics.ts';

const forMs = sized({ short: 2000, long: 20_000 });

campaign(
  'T56',
  'Flood of guessed keys',
  async (report, cleanUp) => {
    const postgres = await startPostgres({ settings: statementLog });
    cleanUp(() => postgres.stop());
    const { url: databaseUrl } = await freshDatabase(postgres.url);
    const { client, url } = await startService(cleanUp, {
      redisUrl: inject('redisUrl'),
      databaseUrl,
      settings: { SLUICE_TRUSTED_PROXIES: '127.0.0.1/32' },
    });
    const { key } = await client.makeTenant();
    await client.check(key, { resource: 'GET:/', subject: 'ann' });
    const load = new HttpLoad({ urls: [url], key: () => key, perSecond: 50 });
    await sleep(2000);
    const floodMs = performance.now();
    // Each says that it comes from another address: the worst for who counts by address.
    const keys = Array.from({ length: 2000 }, () => mint('key', 'a guess').text);
    let told: FloodResult | null = null;
    const statements = await statementsDuring(postgres, async () => {
      told = await flood({ url, keys, connections: 32, forMs, fromOthers: true });
    });
    const { sent: guesses, statuses } = told as unknown as FloodResult;
    const overMs = performance.now();
    await load.stop();
    const caused = withoutBackground(statements).length;
    const [quiet, busy] = [load.between(0, floodMs), load.between(floodMs, overMs)];
    report.exactly('guesses accepted', statuses['200'] ?? 0, 0);
    report.exactly('5xx or no answer to guesses', strange(statuses), 0);
    report.atMost('queries of PostgreSQL a second', caused / (forMs / 1000), 50);
    report.atLeast('guesses refused before any look-up, %', 100 * (1 - caused / guesses), 99.9);
    report.exactly('5xx or no answer to who has a key', failures(load.samples), 0);
    report.aim('p99 of who has a key, times as before', p99(times(busy)) / p99(times(quiet)), 1.5);
    report.note(
      `${guesses} guesses, ${Math.round(guesses / (forMs / 1000))}/s, as fast as this machine sends`,
    );
  },
  { takesMs: forMs + 30_000 },
);

/** Neither refused nor told to wait. */
function strange(statuses: FloodResult['statuses']): number {
  const { 401: refused = 0, 429: waiting = 0, ...others } = statuses;
  return refused + waiting === 0 ? Infinity : Object.values(others).reduce((a, b) => a + b, 0);
}
