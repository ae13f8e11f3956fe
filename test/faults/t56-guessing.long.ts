import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'node:http';
import { inject } from 'vitest';
import { mint } from '../../platform/src/control/credentials/credential.ts';
import { statementLog, statementsDuring, withoutBackground } from '../platform/rig/statements.ts';
import { startPostgres } from '../servers/postgres.ts';
import { freshDatabase } from '../support/databases.ts';
import { campaign, sized } from './rig/campaign.ts';
import { failures, HttpLoad, times } from './rig/http-load.ts';
import { startService } from './rig/service.ts';
import { p99 } from './rig/statistics.ts';

const forMs = sized({ short: 2000, long: 20_000 });
const guessers = 32;

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
    const agent = new Agent({ keepAlive: true, maxSockets: guessers });
    cleanUp(() => agent.destroy());
    let [guesses, accepted] = [0, 0];
    const over = performance.now() + forMs;
    const guesser = async () => {
      while (performance.now() < over) {
        guesses += 1;
        // From another address each time: the worst for who counts by address.
        const at = guesses;
        const from = `203.${at % 250}.${Math.floor(at / 250) % 250}.${Math.floor(at / 62_500) % 250}`;
        const status = await ask(agent, url, mint('key', 'a guess').text, from);
        if (status === 200) accepted += 1;
      }
    };
    const statements = await statementsDuring(postgres, () =>
      Promise.all(Array.from({ length: guessers }, guesser)),
    );
    await load.stop();
    const caused = withoutBackground(statements).length;
    const [quiet, busy] = [load.between(0, floodMs), load.between(floodMs, over)];
    report.exactly('guesses accepted', accepted, 0);
    report.atMost('queries of PostgreSQL a second', caused / (forMs / 1000), 50);
    report.atLeast('guesses refused before any look-up, %', 100 * (1 - caused / guesses), 99.9);
    report.exactly('5xx or no answer to who has a key', failures(load.samples), 0);
    report.aim('p99 of who has a key, times as before', p99(times(busy)) / p99(times(quiet)), 1.5);
    report.note(`${guesses} guesses, ${Math.round(guesses / (forMs / 1000))}/s, as fast as this machine sends`);
  },
  { takesMs: forMs + 30_000 },
);

function ask(agent: Agent, url: string, key: string, from: string): Promise<number> {
  return new Promise((resolve) => {
    const headers = {
      'x-api-key': key,
      'x-forwarded-for': from,
      'content-type': 'application/json',
    };
    const asked = request(`${url}/v1/check`, { agent, method: 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    asked.on('error', () => resolve(0));
    asked.end('{"resource":"GET:/","subject":"ann"}');
  });
}
