import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Engine } from '../../limiter/src/core/engine.ts';
import { MemoryEngine } from '../../limiter/src/engines/memory/index.ts';
import { fromIoredis, RedisEngine } from '../../limiter/src/engines/redis/index.ts';
import { openScripts } from '../../limiter/src/engines/redis/scripts.ts';
import { openCluster, openRedis } from '../servers/connect.ts';
import { FakeClock, luaWithFakeClock, tellingTime } from '../support/fake-clock.ts';
import { Pair } from './pair.ts';
import { drawn, steady, step, type Step } from './steps.ts';

// A million with DIFFERENTIAL_STEPS=1000000, from another seed each time; a failure repeats with
// DIFFERENTIAL_SEED. The everyday run keeps its seed: what passed once must not fail by chance.
const { DIFFERENTIAL_STEPS: stepsAsked, DIFFERENTIAL_SEED: seedAsked } = process.env;
const stepsWanted = Number(stepsAsked ?? 20_000);
const seed = Number(seedAsked ?? (stepsAsked === undefined ? 1_639_875_395 : Date.now() % 2 ** 31));
const stepsPerScheduleMax = 100;

type Place = {
  readonly store: string;
  readonly open: () => Redis | Cluster;
  readonly steps: number;
  /** What of a schedule is taken here. */
  readonly takes: (step: Step) => Step | null;
};

const places: readonly Place[] = [
  {
    store: 'Redis',
    open: () => openRedis(inject('redisUrl')),
    steps: stepsWanted,
    takes: (one) => one,
  },
  {
    store: 'a Redis Cluster',
    open: () => openCluster(inject('redisClusterNodes')),
    steps: stepsWanted / 5,
    takes: steady,
  },
];

// Schedules that run at once: one alone would wait for Redis most of its time.
const laneCount = 4;

type Lane = { readonly clock: FakeClock; readonly engines: readonly [Engine, Engine] };

/** A memory and a part of Redis of its own, both on a clock of its own. */
async function openLane(redis: Redis | Cluster): Promise<Lane> {
  const clock = new FakeClock();
  const memory = new MemoryEngine({ clock: clock.read });
  // Stops the sweeper: as in Redis here, nothing runs out by itself while the clock is moved.
  await memory.close();
  const inRedis = new RedisEngine(tellingTime(fromIoredis(redis), clock), {
    prefix: `differential-${randomUUID()}`,
    clock: clock.read,
    scripts: openScripts(luaWithFakeClock),
  });
  return { clock, engines: [memory, inRedis] };
}

const schedule = fc.record({
  limits: fc.array(drawn, { minLength: 1, maxLength: 6 }),
  steps: fc.array(step, { minLength: 1, maxLength: stepsPerScheduleMax, size: 'max' }),
});

describe.each(places)('memory and $store', ({ open, steps: stepsHere, takes }) => {
  const redis = open();

  beforeAll(() => console.log(`differential seed ${seed}, ${stepsHere} steps`));
  afterAll(() => redis.disconnect());

  it(
    'agree on verdict, remaining, reset and retry in every random schedule',
    { timeout: 60_000 + stepsHere * 10 },
    async () => {
      let taken = 0;
      let rounds = 0;
      const runLane = async () => {
        const { clock, engines } = await openLane(redis);
        const startUs = clock.nowUs;
        const agree = fc.asyncProperty(schedule, async ({ limits, steps }) => {
          clock.nowUs = startUs;
          const pair = new Pair(engines, clock, randomUUID(), limits);
          for (const [at, drawnStep] of steps.entries()) {
            const one = takes(drawnStep);
            if (!one) continue;
            taken += 1;
            const [inProcess, there] = await pair.take(one);
            expect(there, `step ${at}: ${one.kind}`).toEqual(inProcess);
          }
        });
        for (;;) {
          if (taken >= stepsHere) break;
          const round = rounds;
          rounds += 1;
          await fc.assert(agree, {
            seed: seed + round,
            numRuns: 100,
            // A failure is shrunk for a minute at most: every try is a talk with Redis.
            interruptAfterTimeLimit: 60_000 + stepsHere * 10,
          });
        }
      };
      await Promise.all(Array.from({ length: laneCount }, runLane));
    },
  );
});
