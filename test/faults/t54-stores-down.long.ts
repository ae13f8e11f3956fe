import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../servers/postgres.ts';
import { startRedis } from '../servers/redis.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { freshDatabase } from '../support/databases.ts';
import { withOtherSecret } from './rig/keys.ts';
import { campaign, sized } from './rig/campaign.ts';
import { metricOf, startService } from './rig/service.ts';

const forMs = sized({ short: 5000, long: 40_000 });
/** How long a key is believed that nothing confirms. */
const seconds = sized({ short: 3, long: 30 });
const check = { resource: 'GET:/orders', subject: 'ann' };
const wide = { algorithm: 'fixed_window', limit: 1e9, window_seconds: 3600 };

campaign(
  'T54',
  'Keys while PostgreSQL, Redis or both are away',
  async (report, cleanUp) => {
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    cleanUp(() => Promise.all([postgres.stop(), redis.stop()]));
    const proxy = await FaultProxy.start(redis.port);
    cleanUp(() => proxy.stop());
    const { url: databaseUrl } = await freshDatabase(postgres.url);
    const start = (policy: string) =>
      startService(cleanUp, {
        redisUrl: `redis://127.0.0.1:${proxy.port}`,
        databaseUrl,
        settings: {
          SLUICE_UNCONFIRMED_KEYS: policy,
          SLUICE_UNCONFIRMED_KEYS_SECONDS: String(seconds),
        },
      });
    const { client } = await start('accept');
    const { client: strict } = await start('refuse');
    const limits = [
      { ...wide, name: 'open', resources: ['GET:/orders'] },
      { ...wide, name: 'closed', on_store_failure: 'closed', resources: ['POST:/orders'] },
    ];
    const known = await client.makeTenant({ limits });
    const stranger = await client.makeTenant({ limits });
    const revoked = await client.makeTenant({ limits });
    for (const { key } of [known, revoked]) await client.check(key, check);
    await strict.check(known.key, check);
    await client.change('DELETE', `keys/${revoked.keyId}`);
    const tally = { strangers: 0, revoked: 0, knownRefused: 0, closedLetIn: 0, failures: 0 };
    const unconfirmed = { refusedEarly: 0, lastAcceptedMs: 0, refused: 0 };
    const strangersTold = new Set<number>();
    const during = async (storeIsThere: boolean, databaseIsThere = false) => {
      const beginMs = performance.now();
      const endMs = beginMs + forMs;
      while (performance.now() < endMs) {
        const atMs = performance.now() - beginMs;
        const [one, refusing, closed, other, late, nonsense] = await Promise.all([
          client.check(known.key, check),
          strict.check(known.key, check),
          client.check(known.key, { ...check, resource: 'POST:/orders' }),
          // The id of a key that is there, and another secret.
          client.check(withOtherSecret(stranger.key), check),
          client.check(revoked.key, check),
          client.check('nonsense', check),
        ]);
        if (one.status !== 200) tally.knownRefused += 1;
        if (refusing.status === 200 && !storeIsThere && !databaseIsThere) {
          unconfirmed.lastAcceptedMs = atMs;
        }
        if (refusing.status === 429) unconfirmed.refused += 1;
        if (refusing.status === 429 && storeIsThere) unconfirmed.refusedEarly += 1;
        if (!storeIsThere && closed.status !== 429) tally.closedLetIn += 1;
        for (const { status } of [other, nonsense]) {
          if (status === 200) tally.strangers += 1;
          strangersTold.add(status);
        }
        if (late.status === 200) tally.revoked += 1;
        tally.failures += [one, refusing, closed].filter(({ status }) => status >= 500).length;
        await sleep(50);
      }
    };
    await postgres.halt();
    await during(true);
    const countedEarly = await metricOf(client, 'rl_unconfirmed_keys_total');
    proxy.fault = { kind: 'swallow' };
    await during(false);
    const counted = await metricOf(client, 'rl_unconfirmed_keys_total');
    await postgres.resume();
    await until(async () => (await strict.check(known.key, check)).status === 200);
    const { refused } = unconfirmed;
    await during(false, true);
    report.exactly('unknown keys accepted', tally.strangers, 0);
    report.exactly('revoked keys accepted', tally.revoked, 0);
    report.exactly('known keys refused under “open”', tally.knownRefused, 0);
    report.exactly('let in under “closed” without Redis', tally.closedLetIn, 0);
    report.exactly('5xx for known keys', tally.failures, 0);
    report.note(`${forMs} ms each; unknown keys were told ${[...strangersTold].join(', ')}`);
    report.exactly(
      'unconfirmed while Redis answers',
      unconfirmed.refusedEarly + (countedEarly || 0),
      0,
    );
    report.atMost(
      'accepted under “refuse” after nothing could confirm it, s',
      unconfirmed.lastAcceptedMs / 1000,
      seconds,
    );
    report.atLeast('refused after that under “refuse”', refused, 1);
    report.atLeast('counted after that under “accept”', counted || 0, 1);
    report.exactly('refused with PostgreSQL back', unconfirmed.refused - refused, 0);
  },
  { takesMs: 3 * forMs + 60_000 },
);

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + 30_000;
  while (!(await isSo())) {
    if (performance.now() > endMs)
      throw new Error('not in time: keys are revoked, or confirmed again');
    await sleep(50);
  }
}
