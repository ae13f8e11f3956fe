import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { openRedis } from '../servers/connect.ts';
import { startRedis } from '../servers/redis.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { bound, limitOf } from '../support/limits.ts';
import { fromIoredis, RedisEngine } from '../../limiter/src/engines/redis/index.ts';
import { Forwarder } from '../platform/store/rig/forwarder.ts';
import { askEngine, Callers } from './rig/asking.ts';
import { campaign, sized } from './rig/campaign.ts';
import { metricOnce, startService } from './rig/service.ts';

const rounds = sized({ short: 1, long: 10 });
const frozenMs = 800;
const tenant = { id: 'rolled-back' };

campaign(
  'T33',
  'Replication frozen for 800 ms, then the primary killed',
  async (report, cleanUp) => {
    let [overMost, excessMost, lostMost, failed] = [0, 0, 0, 0];
    let toldLeast = Infinity;
    for (let round = 0; round < rounds; round += 1) {
      const one = await failOver(cleanUp);
      overMost = Math.max(overMost, one.over);
      excessMost = Math.max(excessMost, one.over - Math.min(one.size, one.frozen));
      lostMost = Math.max(lostMost, one.frozen);
      failed += one.failed;
      toldLeast = Math.min(toldLeast, one.told);
    }
    report.atMost('over-admission beyond min(B, debits while frozen)', excessMost, 0);
    report.exactly('failed calls before the kill', failed, 0);
    report.atLeast('rollback metric of a node, the least', toldLeast, 1);
    report.note(`${rounds} failovers; at most ${overMost} over, ${lostMost} debits while frozen`);
  },
  { takesMs: rounds * 30_000 },
);

async function failOver(cleanUp: (undo: () => unknown) => void) {
  const size = 20_000;
  const limit = limitOf({ algorithm: 'fixed_window', limit: size, window: '365 days' });
  const primary = await startRedis();
  cleanUp(() => primary.stop());
  const proxy = await FaultProxy.start(primary.port);
  cleanUp(() => proxy.stop());
  const replica = await startRedis({ settings: ['--replicaof', '127.0.0.1', `${proxy.port}`] });
  cleanUp(() => replica.stop());
  const [first, second] = [openRedis(primary.url), openRedis(replica.url)];
  cleanUp(() => first.disconnect());
  cleanUp(() => second.disconnect());
  await linked(second);
  const address = await Forwarder.start(primary.port);
  cleanUp(() => address.stop());
  const { client } = await startService(cleanUp, { redisUrl: `redis://127.0.0.1:${address.port}` });

  const engineOf = (redis: Redis) =>
    new RedisEngine(fromIoredis(redis), { prefix: 'suffix', allowances: null });
  const [before, old] = [new Callers(), engineOf(first)];
  before.start(16, async () => (await askEngine(old, tenant, [bound(limit)])).allowed);
  await sleep(300);
  const atFreeze = before.admissions.length;
  // All that was answered so far is on the replica, and nothing that is answered from now on.
  await first.wait(1, 5000);
  proxy.fault = { kind: 'swallow_replies' };
  await sleep(frozenMs);
  await before.stop();
  const frozen = before.admissions.length - atFreeze;
  address.targetPort = replica.port;
  await primary.stop();
  await second.replicaof('NO', 'ONE');
  const engine = engineOf(second);
  let admitted = before.admissions.length;
  for (let refused = 0; refused < 50;) {
    const asked = Array.from({ length: 64 }, () => askEngine(engine, tenant, [bound(limit)]));
    const allowed = (await Promise.all(asked)).filter((one) => one.allowed).length;
    admitted += allowed;
    refused += asked.length - allowed;
  }
  const told = await metricOnce(client, 'rl_store_rollbacks_total', 1);
  return { size, frozen, over: admitted - size, failed: before.failed, told };
}

async function linked(replica: Redis): Promise<void> {
  while (!(await replica.info('replication')).includes('master_link_status:up')) await sleep(20);
}
