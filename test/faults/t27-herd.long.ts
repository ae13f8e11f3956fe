import { setTimeout as sleep } from 'node:timers/promises';
import { openRedis } from '../servers/connect.ts';
import { startRedis } from '../servers/redis.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { campaign, sized } from './rig/campaign.ts';
import { failures, HttpLoad } from './rig/http-load.ts';
import { metricOf, startService } from './rig/service.ts';

const nodeCount = sized({ short: 3, long: 8 });
const hotKeys = sized({ short: 500, long: 5000 });
const perSecond = sized({ short: 200, long: 800 });
const awayMs = 5000;
const limit = { name: 'open', algorithm: 'fixed_window', limit: 1e6, window_seconds: 3600 };

campaign(
  'T27',
  'Herd when Redis returns',
  async (report, cleanUp) => {
    const redis = await startRedis();
    cleanUp(() => redis.stop());
    const watcher = openRedis(redis.url);
    cleanUp(() => watcher.disconnect());
    const proxy = await FaultProxy.start(redis.port);
    cleanUp(() => proxy.stop());
    const { client, nodes } = await startService(cleanUp, {
      redisUrl: `redis://127.0.0.1:${proxy.port}`,
      count: nodeCount,
    });
    const { key } = await client.makeTenant({ limits: [limit] });
    const load = new HttpLoad({
      urls: nodes.map((node) => node.client.url),
      key: () => key,
      body: (at) => ({ resource: 'GET:/', subject: `subject-${at % hotKeys}` }),
      perSecond,
    });
    await sleep(1000);
    const commands = async () =>
      Number(/total_commands_processed:(\d+)/.exec(await watcher.info('stats'))?.[1]);
    const rateFor = async (ms: number) => {
      const [startMs, before] = [performance.now(), await commands()];
      await sleep(ms);
      return ((await commands()) - before) / ((performance.now() - startMs) / 1000);
    };
    const steady = await rateFor(2000);
    proxy.fault = { kind: 'swallow' };
    proxy.cut();
    await sleep(awayMs);
    const changes = async () => {
      const all = nodes.map((node) =>
        metricOf(node.client, 'rl_breaker_changes_total\\{state="open"\\}'),
      );
      return (await Promise.all(all)).reduce((sum, count) => sum + (count || 0), 0);
    };
    const openedBefore = await changes();
    proxy.fault = { kind: 'pass' };
    proxy.cut();
    const firstSecond = await rateFor(1000);
    const clients = Number(/connected_clients:(\d+)/.exec(await watcher.info('clients'))?.[1]);
    await sleep(3000);
    const reopened = (await changes()) - openedBefore;
    await load.stop();
    report.exactly('5xx or no answer', failures(load.samples), 0);
    report.aim('commands in the first second, times steady', firstSecond / steady, 2);
    report.aim('breakers that open again', reopened, 0);
    report.note(`${nodeCount} nodes, ${hotKeys} keys, ${perSecond}/s; ${clients - 1} clients then`);
  },
  { takesMs: nodeCount * 20_000 + 30_000 },
);
