import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { mint } from '../../platform/src/control/credentials/credential.ts';
import { statementLog, statementsDuring, withoutBackground } from '../platform/rig/statements.ts';
import { startPostgres } from '../servers/postgres.ts';
import { freshDatabase } from '../support/databases.ts';
import { campaign, sized } from './rig/campaign.ts';
import { flood, type FloodResult } from './rig/flood.ts';
import { failures, HttpLoad, p99OfSeconds } from './rig/http-load.ts';
import { startService } from './rig/service.ts';

const forMs = sized({ short: 2000, long: 20_000 });
/** A flood that leaves the machine time for others; the one after it does not. */
const pacedPerSecond = 1000;

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
    // Each says that it comes from another address: the worst for who counts by address.
    const keys = Array.from({ length: 2000 }, () => mint('key', 'a guess').text);
    const order = { url, keys, connections: 32, forMs, fromOthers: true };
    await sleep(2000);
    const startMs = performance.now();
    await sleep(forMs);
    const pacedMs = performance.now();
    await flood({ ...order, perSecond: pacedPerSecond });
    const floodMs = performance.now();
    let told: FloodResult | null = null;
    const statements = await statementsDuring(postgres, async () => {
      told = await flood(order);
    });
    const { sent: guesses, statuses } = told as unknown as FloodResult;
    const overMs = performance.now();
    await load.stop();
    const caused = withoutBackground(statements).length;
    const quietP99Ms = p99OfSeconds(load.between(startMs, pacedMs));
    const times99 = (from: number, until: number) =>
      p99OfSeconds(load.between(from, until)) / quietP99Ms;
    report.exactly('guesses accepted', statuses['200'] ?? 0, 0);
    report.exactly('5xx or no answer to guesses', strange(statuses), 0);
    report.atMost('queries of PostgreSQL a second', caused / (forMs / 1000), 50);
    report.atLeast('guesses refused before any look-up, %', 100 * (1 - caused / guesses), 99.9);
    report.exactly('5xx or no answer to who has a key', failures(load.samples), 0);
    const paced = `p99 of who has a key under ${pacedPerSecond}/s, times as before`;
    report.aim(paced, times99(pacedMs, floodMs), 1.5);
    report.aim('p99 of who has a key under all that fits', times99(floodMs, overMs), 1.5);
    report.note(
      `${guesses} guesses, ${Math.round(guesses / (forMs / 1000))}/s, as fast as this machine sends`,
    );
  },
  { takesMs: 3 * forMs + 30_000 },
);

/** Neither refused nor told to wait. */
function strange(statuses: FloodResult['statuses']): number {
  const { 401: refused = 0, 429: waiting = 0, ...others } = statuses;
  return refused + waiting === 0 ? Infinity : Object.values(others).reduce((a, b) => a + b, 0);
}
