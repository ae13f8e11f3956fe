// Those who hold something die, while others go on: what was held comes back within its time and a
// second, on the store's clock, and nothing is lost of those who live.

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../limiter/src/core/engine.ts';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import { MemoryEngine } from '../../limiter/src/engines/memory/index.ts';
import { bound, limitOf } from '../support/limits.ts';
import { answerTo, decidedOf, raceTenant } from './asking.ts';
import { lookAt, type BusyJob, type HoldJob, type SlotsJob } from './dying-jobs.ts';
import { prepareJob, type Job, type JobResult, type Target } from './jobs.ts';
import { Processes } from './processes.ts';
import { randomOf } from './random.ts';
import { cluster, processCount, single, sum, withEngine } from './running.ts';

const timeoutMs = 60_000;
const patient = { timeout: timeoutMs + 10_000 };
const secondUs = 1_000_000;

/** Callers by number, who do jobs and may die. */
type Place = {
  readonly run: <J extends Job>(at: number, job: J) => Promise<JobResult<J>>;
  /** Whatever they hold, nobody will ever give it back. */
  readonly die: (at: number) => Promise<void>;
  /** Another in the place of a dead one. */
  readonly replace: (at: number) => Promise<void>;
  readonly ask: <T>(work: (engine: Engine) => Promise<T>) => Promise<T>;
};

let processes: Processes;

beforeAll(async () => {
  processes = await Processes.start(processCount);
});

afterAll(async () => {
  await processes?.stop();
});

function onTarget(target: Target): Place {
  return {
    run: async (at, job) => {
      await processes.at(at).prepare(target, job, at);
      return processes.at(at).go(timeoutMs);
    },
    die: (at) => processes.at(at).kill(),
    replace: async (at) => {
      await processes.replace(at);
    },
    ask: (work) => withEngine(target, work),
  };
}

/** In a process of one, who dies is one who never comes back: its engine no longer answers. */
function inMemory(): Place {
  const engine = new MemoryEngine();
  const dead = new Set<number>();
  const mortal = (at: number): Engine =>
    new Proxy(engine, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) =>
          dead.has(at) ? new Promise(() => {}) : Reflect.apply(value, target, args);
      },
    });
  return {
    run: (at, job) => {
      const context = { engine: mortal(at), random: randomOf(at + 1), seed: at };
      return prepareJob(job, context)() as Promise<never>;
    },
    die: async (at) => {
      dead.add(at);
    },
    replace: async () => {},
    ask: (work) => work(engine),
  };
}

/** `first` is the first of the processes that are this place's where all take part at once. */
const places = [
  { place: 'in memory', first: 0, open: inMemory },
  { place: 'on one Redis', first: 0, open: () => onTarget(single()) },
  { place: 'on a Redis Cluster', first: 3, open: () => onTarget(cluster()) },
];

describe.each(places)('$place', ({ open }) => {
  test('a thousand reservations of the dead come back to a busy counter', patient, async () => {
    const { run, die, replace, ask } = open();
    const limit: LimitInput = {
      algorithm: 'fixed_window',
      limit: 1_000_000,
      window: '1 day',
      align: 'first_request',
    };
    const ttlMs = 1500;
    const hold: HoldJob = { kind: 'hold', count: 500, ttlMs, limit };
    const busy: BusyJob = { kind: 'busy', forMs: 2 * ttlMs + 1500, limit };
    const others = [2, 3, 4].map((at) => run(at, busy));
    const holding = await Promise.all([run(0, hold), run(1, hold)]);
    await Promise.all([die(0), die(1)]);
    await Promise.all([replace(0), replace(1)]);
    const seen = await Promise.all(others);

    expect(sum(holding.map(({ refused }) => refused))).toBe(0);
    const lastUs = Math.max(...holding.map((one) => one.lastUs));
    const after = await ask((engine) => waitFor(engine, limit, lastUs + secondUs));
    expect(after.held).toBe(0);
    // The counter was busy while they were held, and shows nothing of them once their time is over.
    expect(Math.max(...seen.map(({ heldMax }) => heldMax))).toBeGreaterThan(0);
    for (const { lastHeldUs } of seen) expect(lastHeldUs).toBeLessThanOrEqual(lastUs + secondUs);
    // To the unit: what is left fits, and then nothing does.
    expect(after.used).toBe(sum(seen.map(({ admitted }) => admitted)));
    const rest = limitOf(limit).size - after.used;
    expect(await ask((engine) => isLetIn(engine, limit, rest))).toBe(true);
    expect(await ask((engine) => isLetIn(engine, limit, 1))).toBe(false);
  });
});

// Mostly they wait, so all places at once.
test.concurrent.each(places)(
  '$place slots of the dead come back, and none of the living is lost',
  patient,
  async ({ open, first }) => {
    const { run, die, replace, ask } = open();
    const [living, dying, ttlMs] = [20, 20, 2000];
    const limit: LimitInput = {
      algorithm: 'concurrency',
      maxConcurrent: living + dying,
      staleAfter: ttlMs,
    };
    const held: SlotsJob = {
      kind: 'slots',
      count: living,
      beatEveryMs: 250,
      forMs: 3 * ttlMs,
      limit,
    };
    const alive = run(first, held);
    // It ends by itself only if it does not die as it should.
    void run(first + 1, { ...held, count: dying, forMs: timeoutMs }).catch(() => null);
    await ask((engine) => until(engine, limit, ({ used }) => used === living + dying));
    const others = run(first + 2, { kind: 'churn', forMs: 2.5 * ttlMs, limit });
    await pause(ttlMs / 2);
    await die(first + 1);
    const back = await ask(async (engine) => {
      const killed = await lookAt(engine, limit);
      await waitFor(engine, limit, killed.nowUs + ttlMs * 1000 + secondUs);
      // One at a time may be another's, who comes and goes.
      const free = dying - 1;
      const taken = [];
      for (let at = 0; at < free; at += 1) taken.push(await isLetIn(engine, limit, 1));
      return { free, taken: taken.filter(Boolean).length };
    });
    const [{ taken, lost, released, starved }, churned] = await Promise.all([alive, others]);
    expect(back.taken).toBe(back.free);
    expect({ taken, lost, released: released + starved }).toEqual({
      taken: living,
      lost: 0,
      released: living,
    });
    // How many there are is up to the machine.
    expect(churned.samples).toBeGreaterThan(0);
    expect(churned.usedMax).toBeLessThanOrEqual(living + dying);
    expect(churned.admitted).toBeGreaterThan(0);
    await replace(first + 1);
  },
);

async function waitFor(engine: Engine, limit: LimitInput, untilUs: number) {
  const { nowUs } = await engine.inspect(raceTenant, []);
  await pause(Math.max(0, (untilUs - nowUs) / 1000));
  return until(engine, limit, (look) => look.nowUs >= untilUs);
}

type Look = Awaited<ReturnType<typeof lookAt>>;

async function until(engine: Engine, limit: LimitInput, isSo: (look: Look) => boolean) {
  for (;;) {
    const look = await lookAt(engine, limit);
    if (isSo(look)) return look;
    await pause(1);
  }
}

let asked = 0;

async function isLetIn(engine: Engine, limit: LimitInput, cost: number): Promise<boolean> {
  asked += 1;
  const limits = [bound(limitOf(limit), cost)];
  const question = { id: `later-${asked}`, limits, peek: false };
  return decidedOf(await answerTo(engine, raceTenant.id, question)).allowed;
}
