// How many commands a check costs, counted at the servers themselves.

import type { Cluster, Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import type { BoundLimit } from '../../limiter/src/core/engine.ts';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import { fromIoredis, RedisEngine } from '../../limiter/src/engines/redis/index.ts';
import { openCluster, openRedis } from '../servers/connect.ts';
import { startRedisCluster } from '../servers/redis-cluster.ts';
import { startRedis, type RedisServer } from '../servers/redis.ts';
import { bound, limitOf, question } from '../support/limits.ts';

const tenant = { id: 'travelling' };
const day = { algorithm: 'fixed_window', window: '365 days' } as const;
const own = bound(limitOf({ ...day, name: 'own', limit: 3 }));
const tight = bound(limitOf({ ...day, name: 'tight', limit: 1, per: ['tenant'] }), 1, []);
const everyone = ['a', 'b'].map((name) => globalOf({ ...day, name, limit: 100 }));
const punishing = globalOf({ ...day, name: 'strict', limit: 1, blockFor: '1 h' });
const [first = own] = everyone;

function globalOf(input: LimitInput): BoundLimit {
  return bound(limitOf({ ...input, per: ['global'] }), 1, []);
}

type Counted = {
  readonly engine: RedisEngine;
  /** How many scripts the servers ran for this. */
  readonly during: (work: () => Promise<unknown>) => Promise<number>;
  readonly stop: () => Promise<void>;
};

type Servers = { readonly servers: readonly RedisServer[]; readonly client: Redis | Cluster };

function countAt({ servers, client }: Servers): Counted {
  const watchers = servers.map(({ url }) => openRedis(url));
  const scripts = async () => {
    const counts = await Promise.all(watchers.map(scriptsRunAt));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  return {
    engine: new RedisEngine(fromIoredis(client), { prefix: 'trips' }),
    during: async (work) => {
      const before = await scripts();
      await work();
      return (await scripts()) - before;
    },
    stop: async () => {
      for (const connection of [client, ...watchers]) connection.disconnect();
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

async function scriptsRunAt(redis: Redis): Promise<number> {
  const stats = await redis.info('commandstats');
  const calls = [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)];
  return calls.reduce((sum, [, count]) => sum + Number(count), 0);
}

// Servers of their own: all that they run is counted.
const places = [
  {
    place: 'one Redis',
    open: async () => {
      const server = await startRedis();
      return countAt({ servers: [server], client: openRedis(server.url) });
    },
    trips: { check: 1, refused: 1, struck: 1, batch: 1, own: 1, inspect: 1, refund: 1 },
  },
  {
    place: 'a Redis Cluster',
    open: async () => {
      const { servers, nodes } = await startRedisCluster();
      return countAt({ servers, client: openCluster(nodes) });
    },
    // What is taken and not kept, or punished, is a third.
    trips: { check: 2, refused: 3, struck: 3, batch: 2, own: 1, inspect: 2, refund: 2 },
  },
];

describe.each(places)('on $place', ({ open, trips }) => {
  it('a check with global limits costs what it must and no more', async () => {
    const { engine, during, stop } = await open();
    const decide = (...limits: readonly BoundLimit[]) =>
      engine.decide({ tenant, questions: [question(limits)] });
    const warm = async () => {
      await decide(own, ...everyone);
      await decide(own);
      await decide(tight, first);
      await decide(tight, first);
      await engine.inspect(tenant, [own, first]);
      await engine.unblock(tenant, [own, first]);
      await decide(punishing, own);
      await engine.refund(tenant, { id: 'none', chargedAtUs: 0, limits: [own, first] });
      await engine.decide({ tenant, questions: [question([first]), question([first])] });
    };
    // An unknown script costs one more trip, once.
    await warm();
    await decide(punishing, own);
    await engine.reset(tenant, [own, punishing]);
    await decide(punishing);

    expect(await during(() => decide(own))).toBe(trips.own);
    expect(await during(() => decide(own, ...everyone))).toBe(trips.check);
    expect(await during(() => decide(first, tight))).toBe(trips.refused);
    expect(await during(() => decide(punishing, own))).toBe(trips.struck);
    expect(await during(() => decide(punishing, own))).toBe(trips.check);
    const questions = Array.from({ length: 2 }, () => question([first]));
    expect(await during(() => engine.decide({ tenant, questions }))).toBe(trips.batch);
    expect(await during(() => engine.inspect(tenant, [own, first]))).toBe(trips.inspect);
    const refund = { id: 'once', chargedAtUs: 0, limits: [own, first] };
    expect(await during(() => engine.refund(tenant, refund))).toBe(trips.refund);
    expect(await during(() => engine.unblock(tenant, [own, first]))).toBe(trips.refund);
    await stop();
  });
});
