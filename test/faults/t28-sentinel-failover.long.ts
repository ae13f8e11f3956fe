import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { openRedis } from '../servers/connect.ts';
import { masterName, startRedisSentinel } from '../servers/redis-sentinel.ts';
import { type RedisServer, startRedis } from '../servers/redis.ts';
import type { MadeTenant } from '../platform/rig/client.ts';
import { campaign, sized } from './rig/campaign.ts';
import { countOf, failures, HttpLoad, type Sample } from './rig/http-load.ts';
import { startService } from './rig/service.ts';

const rounds = sized({ short: 1, long: 10 });
const perSecond = sized({ short: 100, long: 300 });
const patienceMs = 30_000;
/** More than a replica is behind that a sentinel would elect. */
const suffixMs = 1000;
/** A sentinel begins no other failover of a primary for twice its `failover-timeout`. */
const betweenMs = 11_000;
const year = { algorithm: 'fixed_window', window_seconds: 365 * 86_400 };
/** Two seconds of calls, and the primary dies after one: used up only once it was replaced. */
const size = perSecond;
const limits = [
  { ...year, name: 'open', limit: 1e9, resources: ['GET:/orders'] },
  { ...year, name: 'closed', limit: size, on_store_failure: 'closed', resources: ['POST:/orders'] },
];

campaign(
  'T28',
  'The primary that three sentinels watch is killed',
  async (report, cleanUp) => {
    const trio = await startRedisSentinel();
    cleanUp(() => trio.stop());
    const sentinel = openRedis(`redis://127.0.0.1:${trio.sentinelPorts[0]}`);
    cleanUp(() => sentinel.disconnect());
    const servers = [trio.primary, ...trio.replicas];
    const { client, url } = await startService(cleanUp, { redisUrl: trio.url });
    const tenants: MadeTenant[] = [];
    for (let at = 0; at < rounds; at += 1) tenants.push(await client.makeTenant({ limits }));
    let round = 0;
    const load = new HttpLoad({
      urls: [url],
      key: () => tenants[Math.min(round, rounds - 1)]?.key ?? '',
      body: (at) => ({ resource: isOpen({ at }) ? 'GET:/orders' : 'POST:/orders', subject: 'ann' }),
      perSecond,
    });
    cleanUp(() => load.stop());
    const backMs: number[] = [];
    let [over, beyond, letInClosed, without] = [0, 0, 0, 0];
    for (; round < rounds; round += 1) {
      const startMs = performance.now();
      await sleep(1000);
      const primary = await primaryOf(sentinel, servers);
      const killedMs = performance.now();
      await primary.stop();
      const since = () => load.between(killedMs, Infinity);
      await until(() => countOf(since(), 'fail_open') > 0, 'the primary is missed');
      const missedMs = performance.now();
      const isBack = () => {
        const fromMs = performance.now() - 600;
        if (fromMs < missedMs) return false;
        const recent = load.between(fromMs, fromMs + 500);
        return recent.length > 10 && recent.every(({ basis }) => basis === 'exact');
      };
      await until(isBack, 'decisions are exact again');
      const last = since().findLast(({ basis }) => basis !== 'exact');
      backMs.push(last ? last.startedMs + last.tookMs - killedMs : 0);
      without += since().filter(({ basis }) => basis !== 'exact').length;
      await until(() => since().some(isRefusedExactly), 'the limit is used up');

      const strict = load.between(startMs, Infinity).filter((one) => !isOpen(one));
      const letIn = strict.filter(({ status }) => status === 200);
      letInClosed += letIn.filter(({ basis }) => basis !== 'exact').length;
      const suffix = letIn.filter(
        ({ startedMs }) => startedMs > killedMs - suffixMs && startedMs < killedMs,
      ).length;
      const overNow = Math.max(0, letIn.length - size);
      over = Math.max(over, overNow);
      beyond = Math.max(beyond, overNow - Math.min(size, suffix));
      if (round + 1 < rounds) {
        const { port } = primary;
        const revived = await startRedis({ port, settings: await replicaOf(sentinel) });
        cleanUp(() => revived.stop());
        servers.push(revived);
        await until(async () => (await replicasOf(sentinel)) === 2, 'it is a replica');
        await sleep(betweenMs);
      }
    }
    await load.stop();
    const openRefused = load.samples.filter((one) => isOpen(one) && one.status === 429).length;
    report.exactly('5xx or no answer', failures(load.samples), 0);
    report.exactly('refused under “open”', openRefused, 0);
    report.exactly('let in under “closed” without the primary', letInClosed, 0);
    report.atMost('over-admission beyond min(B, debits of the last second)', beyond, 0);
    report.atLeast('decided without the primary, by what limits say', without, rounds);
    report.aim('until all decisions are exact again, ms', Math.max(...backMs), 4000);
    report.note(`${rounds} times, ${perSecond}/s; at most ${over} over`);
  },
  { takesMs: rounds * (2 * patienceMs + betweenMs) },
);

/** Every other call. */
function isOpen({ at }: Pick<Sample, 'at'>): boolean {
  return at % 2 === 0;
}

function isRefusedExactly({ status, basis }: Sample): boolean {
  return status === 429 && basis === 'exact';
}

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const endMs = performance.now() + patienceMs;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`not in time: ${what}`);
    await sleep(20);
  }
}

async function primaryOf(sentinel: Redis, servers: readonly RedisServer[]): Promise<RedisServer> {
  const port = await primaryPort(sentinel);
  const server = servers.findLast((one) => one.port === port);
  if (!server) throw new Error('the sentinels name a primary that is not ours');
  return server;
}

async function primaryPort(sentinel: Redis): Promise<number> {
  const reply = await sentinel.call('SENTINEL', 'get-master-addr-by-name', masterName);
  return Number((reply as string[])[1]);
}

async function replicaOf(sentinel: Redis): Promise<string[]> {
  return ['--replicaof', '127.0.0.1', String(await primaryPort(sentinel))];
}

/** Those that follow the primary, by the word of a sentinel. */
async function replicasOf(sentinel: Redis): Promise<number> {
  const replies = await sentinel.call('SENTINEL', 'replicas', masterName);
  const linked = (replies as string[][]).filter((fields) => {
    const of = (name: string) => fields[fields.indexOf(name) + 1];
    return of('flags') === 'slave' && of('master-link-status') === 'ok';
  });
  return linked.length;
}
