import { setTimeout as sleep } from 'node:timers/promises';
import { openRedis } from '../servers/connect.ts';
import { startRedis } from '../servers/redis.ts';
import { bound, limitOf } from '../support/limits.ts';
import { openStore } from '../support/store.ts';
import { askEngine, Callers, usedOn } from './rig/asking.ts';
import { campaign, sized } from './rig/campaign.ts';

const flushEveryMs = 100;
const forMs = sized({ short: 2000, long: 60_000 });
const tenant = { id: 'flushed' };
const limit = limitOf({ algorithm: 'fixed_window', limit: 1e9, window: '365 days' });

campaign(
  'T36',
  'Script cache flushed under load',
  async (report, cleanUp) => {
    const server = await startRedis();
    cleanUp(() => server.stop());
    const [store, flusher] = [openStore({ url: server.url }), openRedis(server.url)];
    cleanUp(() => store.close());
    cleanUp(() => flusher.disconnect());
    const callers = new Callers();
    callers.start(32, async () => (await askEngine(store.engine, tenant, [bound(limit)])).allowed);
    const endMs = performance.now() + forMs;
    let flushes = 0;
    while (performance.now() < endMs) {
      await flusher.script('FLUSH');
      flushes += 1;
      await sleep(flushEveryMs);
    }
    await callers.stop();
    const used = await usedOn(store.engine, tenant, bound(limit, 0));
    report.exactly('failed decisions', callers.failed, 0);
    report.exactly('extra debits', used - callers.admissions.length, 0);
    report.note(`${callers.asked} calls, ${flushes} flushes`);
  },
  { takesMs: forMs },
);
