// Calls are carried out, and nobody hears of it: their replies are swallowed and the connection is
// cut, or it is reset when the first of them comes. Whoever asks again under the same key is charged
// once, and is told what the first call was.

import { setTimeout as pause } from 'node:timers/promises';
import { Cluster, type Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { BoundLimit, Engine, Question } from '../../limiter/src/core/engine.ts';
import {
  fromIoredis,
  RedisEngine,
  type RedisClient,
} from '../../limiter/src/engines/redis/index.ts';
import { view } from '../../limiter/src/core/view.ts';
import { openCluster, openRedis } from '../servers/connect.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { bound, limitOf, question } from '../support/limits.ts';
import { openStore } from '../support/store.ts';

// Ten thousand with LOST_REPLIES=10000.
const keyCount = Number(process.env['LOST_REPLIES'] ?? 400);
const batchSize = 50;
const patient = { timeout: 60_000 + keyCount * 60 };

const tenant = { id: 'unheard' };
const day = { limit: 1_000_000, window: '1 day', align: 'first_request' } as const;
const each = limitOf({ algorithm: 'fixed_window', name: 'each', per: ['subject'], ...day });
const all = limitOf({ algorithm: 'fixed_window', name: 'all', per: ['tenant'], ...day });
const open = limitOf({
  algorithm: 'concurrency',
  name: 'open',
  per: ['tenant'],
  maxConcurrent: 100_000,
  staleAfter: '1 hour',
});

/** Every other call reserves what it costs and takes a slot. */
function asked(at: number, id: string): Question {
  const holding = at % 2 === 1;
  const limits = [bound(each, 1, [`subject-${at}`]), bound(all, 1, [])];
  return question(holding ? [...limits, bound(open, 1, [])] : limits, {
    id,
    ...(holding && { reserve: { ttlMs: 3_600_000, onExpiry: 'refund' } as const }),
    idempotency: { scope: 's', key: `key-${at}`, fingerprint: 'f', ttlMs: 3_600_000 },
  });
}

const sendOnce = {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
} as const;

type Lossy = { readonly client: RedisClient; readonly end: () => void };

type Place = {
  readonly place: string;
  readonly ports: () => readonly number[];
  readonly direct: () => Redis | Cluster;
  /** Through the proxies, which stand in front of the ports in their order. */
  readonly lossy: (proxies: readonly FaultProxy[]) => Redis | Cluster;
};

const places: readonly Place[] = [
  {
    place: 'one Redis',
    ports: () => [Number(new URL(inject('redisUrl')).port)],
    direct: () => openRedis(inject('redisUrl')),
    lossy: ([proxy]) => openRedis(`redis://127.0.0.1:${proxy?.port}`, sendOnce),
  },
  {
    place: 'a Redis Cluster',
    ports: () => inject('redisClusterNodes').map(({ port }) => port),
    direct: () => openCluster(inject('redisClusterNodes')),
    lossy: (proxies) => {
      const nodes = inject('redisClusterNodes');
      const natMap = Object.fromEntries(
        nodes.map(({ host, port }, at) => [
          `${host}:${port}`,
          { host: '127.0.0.1', port: proxies[at]?.port ?? 0 },
        ]),
      );
      const client = new Cluster([...nodes], {
        natMap,
        redisOptions: sendOnce,
        clusterRetryStrategy: () => null,
        // It would send again what may have been carried out.
        retryDelayOnFailover: 0,
        slotsRefreshTimeout: 20_000,
      });
      client.on('error', () => {});
      return client;
    },
  },
];

describe.each(places)('on $place', ({ ports, direct: openDirect, lossy }) => {
  let proxies: FaultProxy[] = [];
  let direct: Redis | Cluster;

  beforeAll(async () => {
    proxies = await Promise.all(ports().map((port) => FaultProxy.start(port)));
    direct = openDirect();
  });

  afterAll(async () => {
    direct?.disconnect();
    await Promise.all(proxies.map((proxy) => proxy.stop()));
  });

  async function openLossy(): Promise<Lossy> {
    for (const proxy of proxies) proxy.fault = { kind: 'pass' };
    const client = lossy(proxies);
    return { client: fromIoredis(client), end: () => client.disconnect() };
  }

  test('who asks again after a lost reply is charged once', patient, async () => {
    const options = { prefix: `lost-${process.pid}-${Date.now()}`, allowances: null };
    const engine = new RedisEngine(fromIoredis(direct), options);
    // The scripts must be known by now: a lost NOSCRIPT would be a call that did not run.
    await Promise.all([0, 1].map((at) => answer(engine, asked(at, `first-${at}`))));
    const tally = { lost: 0, executed: 0 };
    for (let from = 0; from < keyCount; from += batchSize) {
      const batch = Array.from({ length: batchSize }, (_, at) => from + at);
      const { client, end } = await openLossy();
      const unheard = new RedisEngine(client, options);
      await unheard.inspect(tenant, [bound(all, 1, [])]);
      const isSwallowed = (from / batchSize) % 2 === 0;
      const kind = isSwallowed ? 'swallow_replies' : 'reset_on_reply';
      const lostBefore = lostOf(proxies);
      for (const proxy of proxies) proxy.fault = { kind };
      const sent = batch.map((at) => answer(unheard, asked(at, `first-${at}`)).catch(() => null));
      if (isSwallowed) await usedReaches(engine, from + batchSize);
      else while (lostOf(proxies) === lostBefore) await pause(1);
      for (const proxy of proxies) proxy.cut();
      end();
      const heard = await Promise.all(sent);
      expect(heard).toEqual(batch.map(() => null));
      tally.lost += heard.length;
      for (const at of batch) {
        const again = await answer(engine, asked(at, `again-${at}`));
        const twice = await answer(engine, asked(at, `twice-${at}`));
        const { replayOf } = again;
        if (replayOf !== null) tally.executed += 1;
        // Which of those that were cut off had arrived nobody knows.
        expect([`first-${at}`, isSwallowed ? `first-${at}` : null]).toContain(replayOf);
        expect(twice).toEqual({ ...again, replayOf: replayOf ?? `again-${at}` });
        expect([again.ticket !== null, again.reservation !== null]).toEqual(
          at % 2 === 1 ? [true, true] : [false, false],
        );
      }
      const counters = batch.map((at) => bound(each, 1, [`subject-${at}`]));
      expect(await usedOf(engine, counters)).toEqual(batch.map(() => 1));
    }
    console.log(`lost replies: ${tally.lost}, of calls that were carried out: ${tally.executed}`);
    expect(await usedOf(engine, [bound(all, 1, []), bound(open, 1, [])])).toEqual([
      keyCount,
      keyCount / 2,
    ]);
  });
});

test('what was settled, refunded or released unheard is told to who asks again', async () => {
  const store = openStore();
  const { engine, prefix, redis } = store;
  const unheard = new RedisEngine(losingReplies(fromIoredis(redis)), { prefix });
  const reserve = { ttlMs: 3_600_000, onExpiry: 'keep' } as const;
  for (let round = 0; round < 20; round += 1) {
    const [held, charged] = [`r-${round}`, `c-${round}`];
    const limits = [bound(all, 5, []), bound(open, 1, [])];
    const { ticket } = await answer(engine, question(limits, { id: held, reserve }));
    await answer(engine, question([bound(all, 3, [])], { id: charged, refundable: true }));

    const settlement = { reservationId: held, costs: { requests: 7 } };
    await expect(unheard.settle(tenant, settlement)).rejects.toThrow('unreachable');
    expect(await engine.settle(tenant, settlement)).toMatchObject({
      kind: 'repeated',
      late: false,
      costs: { requests: 7 },
    });
    const refund = { id: charged, costs: { requests: 2 } };
    await expect(unheard.refundCharge(tenant, refund)).rejects.toThrow('unreachable');
    expect(await engine.refundCharge(tenant, refund)).toEqual({ kind: 'repeated' });
    await expect(unheard.release(tenant, ticket ?? '')).rejects.toThrow('unreachable');
    expect(await engine.release(tenant, ticket ?? '')).toBe('gone');
    const used = await usedOf(engine, [bound(all, 1, []), bound(open, 1, [])]);
    expect(used).toEqual([(round + 1) * 8, 0]);
  }
  store.close();
});

function lostOf(proxies: readonly FaultProxy[]): number {
  return proxies.reduce((lost, { seen }) => lost + seen.lost, 0);
}

/** What changes something is carried out, and its reply lost; what only reads is answered. */
function losingReplies(client: RedisClient): RedisClient {
  const lose = async (reply: Promise<unknown>, name = '') => {
    const heard = await reply;
    if (name !== 'read_record') throw new Error('the connection was lost');
    return heard;
  };
  return {
    evalsha: (sha, keys, args, name) => lose(client.evalsha(sha, keys, args), name),
    eval: (source, keys, args, name) => lose(client.eval(source, keys, args), name),
  };
}

async function answer(engine: Engine, one: Question) {
  const result = await engine.decide({ tenant, questions: [one] });
  const first = result.kind === 'answered' ? result.answers[0] : undefined;
  if (first?.kind !== 'decided') throw new Error(`not decided: ${first?.kind ?? result.kind}`);
  return first;
}

async function usedOf(engine: Engine, counters: readonly BoundLimit[]): Promise<number[]> {
  const { nowUs, readings } = await engine.inspect(tenant, counters);
  return readings.map((reading, at) => view(counters[at] as BoundLimit, reading, nowUs).used);
}

/** Until all calls were carried out. */
async function usedReaches(engine: Engine, expected: number): Promise<void> {
  for (;;) {
    const [used = 0] = await usedOf(engine, [bound(all, 1, [])]);
    if (used >= expected) return;
    await pause(2);
  }
}
