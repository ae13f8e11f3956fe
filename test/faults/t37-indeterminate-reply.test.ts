import type { Redis } from 'ioredis';
import { fromIoredis, RedisEngine } from '../../limiter/src/engines/redis/index.ts';
import { openRedis } from '../servers/connect.ts';
import { startRedis } from '../servers/redis.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { bound, limitOf } from '../support/limits.ts';
import { askEngine, usedOn } from './rig/asking.ts';
import { campaign, sized } from './rig/campaign.ts';

const rounds = sized({ short: 150, long: 10_000 });
const tenant = { id: 'unheard' };
const limit = limitOf({ algorithm: 'fixed_window', limit: 1e9, window: '365 days' });
/** As the service connects, and as the guide tells users of the library to. */
const sendOnce = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  retryStrategy: () => 1,
} as const;

campaign(
  'T37',
  'Connection cut after execution, before the reply',
  async (report, cleanUp) => {
    const server = await startRedis();
    cleanUp(() => server.stop());
    const proxy = await FaultProxy.start(server.port);
    cleanUp(() => proxy.stop());
    const [direct, redis] = [
      openRedis(server.url),
      openRedis(`redis://127.0.0.1:${proxy.port}`, sendOnce),
    ];
    cleanUp(() => direct.disconnect());
    cleanUp(() => redis.disconnect());
    const options = { prefix: 'unheard', allowances: null };
    const engine = new RedisEngine(fromIoredis(redis), options);
    const watcher = new RedisEngine(fromIoredis(direct), options);
    // The script must be known: a lost NOSCRIPT would be a call that did not run.
    await askEngine(watcher, tenant, [bound(limit)]);
    const before = await callsOf(direct);
    let heard = 0;
    for (let round = 0; round < rounds; round += 1) {
      await ready(redis);
      // Whoever sent it again would get through.
      proxy.fault = { kind: 'reset_one_reply' };
      await askEngine(engine, tenant, [bound(limit)]).then(
        () => (heard += 1),
        () => {},
      );
      proxy.fault = { kind: 'pass' };
    }
    const sent = (await callsOf(direct)) - before;
    const used = (await usedOn(watcher, tenant, bound(limit, 0))) - 1;
    report.exactly('double debits', used - rounds, 0);
    report.exactly('commands per call', sent / rounds, 1);
    report.exactly('replies heard', heard, 0);
    report.note(`${rounds} calls`);
  },
  { takesMs: rounds * 20 },
);

async function ready(redis: Redis): Promise<void> {
  while (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve));
}

/** How often the server ran a script, by its own count. */
async function callsOf(redis: Redis): Promise<number> {
  const stats = await redis.info('commandstats');
  const count = (name: string) =>
    Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
  return count('evalsha') + count('eval');
}
