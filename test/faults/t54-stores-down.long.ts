import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../servers/postgres.ts';
import { startRedis } from '../servers/redis.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { freshDatabase } from '../support/databases.ts';
import { withOtherSecret } from './rig/keys.ts';
import { campaign, sized } from './rig/campaign.ts';
import { startService } from './rig/service.ts';

const forMs = sized({ short: 2000, long: 40_000 });
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
    const { client } = await startService(cleanUp, {
      redisUrl: `redis://127.0.0.1:${proxy.port}`,
      databaseUrl,
    });
    const limits = [
      { ...wide, name: 'open', resources: ['GET:/orders'] },
      { ...wide, name: 'closed', on_store_failure: 'closed', resources: ['POST:/orders'] },
    ];
    const known = await client.makeTenant({ limits });
    const stranger = await client.makeTenant({ limits });
    const revoked = await client.makeTenant({ limits });
    for (const { key } of [known, revoked]) await client.check(key, check);
    await client.change('DELETE', `keys/${revoked.keyId}`);
    const tally = { strangers: 0, revoked: 0, knownRefused: 0, closedLetIn: 0, failures: 0 };
    const strangersTold = new Set<number>();
    const during = async (storeIsThere: boolean) => {
      const endMs = performance.now() + forMs;
      while (performance.now() < endMs) {
        const [one, closed, other, late, nonsense] = await Promise.all([
          client.check(known.key, check),
          client.check(known.key, { ...check, resource: 'POST:/orders' }),
          // The id of a key that is there, and another secret.
          client.check(withOtherSecret(stranger.key), check),
          client.check(revoked.key, check),
          client.check('nonsense', check),
        ]);
        if (one.status !== 200) tally.knownRefused += 1;
        if (!storeIsThere && closed.status !== 429) tally.closedLetIn += 1;
        for (const { status } of [other, nonsense]) {
          if (status === 200) tally.strangers += 1;
          strangersTold.add(status);
        }
        if (late.status === 200) tally.revoked += 1;
        tally.failures += [one, closed].filter(({ status }) => status >= 500).length;
        await sleep(50);
      }
    };
    await postgres.halt();
    await during(true);
    proxy.fault = { kind: 'swallow' };
    await during(false);
    await postgres.resume();
    await during(false);
    report.exactly('unknown keys accepted', tally.strangers, 0);
    report.exactly('revoked keys accepted', tally.revoked, 0);
    report.exactly('known keys refused under “open”', tally.knownRefused, 0);
    report.exactly('let in under “closed” without Redis', tally.closedLetIn, 0);
    report.exactly('5xx for known keys', tally.failures, 0);
    report.note(`${forMs} ms each; unknown keys were told ${[...strangersTold].join(', ')}`);
    report.note('a known key is good for as long as PostgreSQL is away: there is no longest age');
  },
  { takesMs: 3 * forMs + 60_000 },
);
