import { StoreFailure } from '../../limiter/src/core/errors.ts';
import { openRedis } from '../servers/connect.ts';
import { startRedis } from '../servers/redis.ts';
import { bound, question } from '../support/limits.ts';
import { dumpOf, openStore, pick, randomFrom } from '../support/store.ts';
import { everyLimit, runEveryVerb } from '../support/workload.ts';
import { campaign, sized } from './rig/campaign.ts';

const rounds = sized({ short: 150, long: 3000 });
const tenant = { id: 'crowded' };

campaign(
  'T40',
  'Memory full',
  async (report, cleanUp) => {
    const server = await startRedis();
    cleanUp(() => server.stop());
    const [store, admin] = [openStore({ url: server.url }), openRedis(server.url)];
    cleanUp(() => store.close());
    cleanUp(() => admin.disconnect());
    const { engine, prefix } = store;
    const random = randomFrom(40);
    await runEveryVerb({ engine, tenant, random });
    // Nothing may run out between two looks.
    const keys = await dumpOf(admin, prefix);
    for (const key of keys.keys()) await admin.persist(key);
    await admin.config('SET', 'maxmemory', 1);
    let [decided, otherFailures, partial] = [0, 0, 0];
    const before = await dumpOf(admin, prefix);
    const reasons = new Map<string, number>();
    for (let round = 0; round < rounds; round += 1) {
      const limits = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
        bound(pick(random, everyLimit), 1 + Math.floor(random() * 3), [
          pick(random, ['all', 'together', `new-${round}`]),
          'a-resource',
        ]),
      );
      const distinct = [...new Map(limits.map((one) => [one.limit, one])).values()];
      const reserve = random() < 0.3 ? { ttlMs: 60_000, onExpiry: 'keep' as const } : undefined;
      const ask = engine.decide({ tenant, questions: [question(distinct, { reserve })] });
      await ask.then(
        () => (decided += 1),
        (error: unknown) => {
          if (!(error instanceof StoreFailure)) otherFailures += 1;
          const reason = error instanceof StoreFailure ? error.reason : String(error);
          reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
        },
      );
      if (round % 10 === 0 && !sameDump(before, await dumpOf(admin, prefix))) partial += 1;
    }
    if (!sameDump(before, await dumpOf(admin, prefix))) partial += 1;
    report.exactly('partial effects', partial, 0);
    report.exactly('calls that fail without a declared reason', otherFailures, 0);
    report.exactly('calls that are degraded as “oom”', reasons.get('oom') ?? 0, rounds - decided);
    report.note(`${rounds} calls of every algorithm, ${before.size} keys compared byte by byte`);
  },
  { takesMs: rounds * 20 },
);

function sameDump(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
}
