// Eight processes reserve, settle, charge, refund, renew, repeat and forget at random, and some of
// them are killed in the middle. Afterwards what is used of every counter is, to the unit, what was
// settled, charged or kept less what was refunded, and nothing is held.

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../../limiter/src/core/engine.ts';
import { MemoryEngine } from '../../../limiter/src/engines/memory/index.ts';
import { createTemporaryFolder, removeFolder } from '../../servers/temporary-folder.ts';
import { raceTenant } from '../asking.ts';
import type { Target } from '../jobs.ts';
import { Processes } from '../processes.ts';
import { randomOf } from '../random.ts';
import { cluster, processCount, single, usedIn, withEngine } from '../running.ts';
import { Audit } from './audit.ts';
import { takeSteps, type LedgerJob } from './job.ts';
import type { Journal, Line } from './journal.ts';
import { allCounters, ledgerLimits } from './limits.ts';
import { takeStepsDying } from './lives.ts';
import { Performer } from './perform.ts';
import { resolveSteps } from './resolve.ts';

// 200,000 with LEDGER_STEPS=200000, from another seed each time; a failure is asked for again with
// LEDGER_SEED, though processes never meet in the same way twice.
const { LEDGER_STEPS: stepsAsked, LEDGER_SEED: seedAsked } = process.env;
const steps = Number(stepsAsked ?? 4000);
const seed = Number(seedAsked ?? (stepsAsked === undefined ? 20_261 : Date.now() % 2 ** 31));
const isCampaign = stepsAsked !== undefined;
const killedCount = isCampaign ? processCount : 2;
const deathsOfEach = isCampaign ? [0.2, 0.2, 0.2] : [0.4];

const ttlsMs = [1, 5, 40, 200, 1500];
const ttlMaxMs = 1500;
const timeoutMs = 60_000 + steps * 20;
const patient = { timeout: timeoutMs + 60_000 };

const nowMs = Date.now();
const share = steps / 200_000;
const limits = ledgerLimits(share, nowMs);
const job: Omit<LedgerJob, 'journalPath' | 'life'> = {
  kind: 'ledger',
  steps: Math.ceil(steps / processCount),
  share,
  nowMs,
  seed,
  ttlsMs,
};
const callers = Array.from({ length: processCount }, (_, at) => at);
const deathsOf = (at: number) => (at < killedCount ? deathsOfEach : []);

let processes: Processes;
let folder: string;

beforeAll(async () => {
  console.log(`ledger seed ${seed}, ${steps} steps`);
  folder = await createTemporaryFolder('ledger');
  processes = await Processes.start(processCount);
});

afterAll(async () => {
  await processes?.stop();
  if (folder) await removeFolder(folder);
});

type Place = {
  /** The journals of all lives. */
  readonly run: () => Promise<Line[][]>;
  readonly ask: <T>(work: (engine: Engine) => Promise<T>) => Promise<T>;
};

function onTarget(name: string, target: Target): Place {
  const lives = { processes, target, timeoutMs };
  return {
    run: async () => {
      const own = await createTemporaryFolder(`ledger-${name}`);
      const journals = await Promise.all(
        callers.map((at) => takeStepsDying({ ...lives, folder: own }, at, job, deathsOf(at))),
      );
      await removeFolder(own);
      return journals.flat();
    },
    ask: (work) => withEngine(target, work),
  };
}

class Died extends Error {}

/** In a process of one, who dies is one who stops in the middle, between any two lines. */
function inMemory(): Place {
  const engine = new MemoryEngine({ recordsPerTenantMax: 10_000_000 });
  const live = async (at: number): Promise<Line[][]> => {
    const journals: Line[][] = [];
    let left = job.steps;
    for (let life = 0; ; life += 1) {
      const lines: Line[] = [];
      journals.push(lines);
      const dies = deathsOf(at)[life];
      const linesMax = dies === undefined ? Number.POSITIVE_INFINITY : 2 * dies * job.steps + at;
      const context = { engine, random: randomOf(at), seed: at };
      const own = { ...job, steps: left, life, journalPath: '' };
      const done = await takeSteps(own, context, mortalJournal(lines, linesMax)).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Died) return false;
          throw error;
        },
      );
      left -= lines.filter((line) => 'attempt' in line).length;
      if (done) return journals;
    }
  };
  return {
    run: async () => (await Promise.all(callers.map(live))).flat(),
    ask: (work) => work(engine),
  };
}

function mortalJournal(lines: Line[], linesMax: number): Journal {
  return {
    write: (line) => {
      if (lines.length >= linesMax) throw new Died();
      lines.push(line);
    },
    close: () => {},
  };
}

const places: readonly { readonly place: string; readonly open: () => Place }[] = [
  { place: 'in memory', open: inMemory },
  { place: 'on one Redis', open: () => onTarget('redis', single()) },
  { place: 'on a Redis Cluster', open: () => onTarget('cluster', cluster()) },
];

describe.each(places)('$place', ({ place, open }) => {
  test('what is used is what was settled, charged or kept', patient, async () => {
    const { run, ask } = open();
    const startMs = performance.now();
    const journals = await run();
    const tookMs = Math.round(performance.now() - startMs);
    const audit = new Audit();
    for (const lines of journals) audit.read(lines);
    const counters = allCounters(limits);
    const bounds = [...counters.values()];
    const names = [...counters.keys()];

    const held = await ask(async (engine) => {
      const { nowUs } = await engine.inspect(raceTenant, []);
      await pause(ttlMaxMs + 1000);
      const after = await engine.inspect(raceTenant, bounds);
      expect(after.nowUs).toBeGreaterThanOrEqual(nowUs + ttlMaxMs * 1000);
      return after.readings.map((reading) => reading.held);
    });
    expect(Object.fromEntries(names.map((name, at) => [name, held[at]]))).toEqual(
      Object.fromEntries(names.map((name) => [name, 0])),
    );

    const { resolved, used } = await ask(async (engine) => ({
      resolved: await resolveSteps(audit, new Performer(engine, limits)),
      used: await usedIn(engine, raceTenant, bounds),
    }));
    console.log(`ledger ${place}:`, { tookMs, lives: journals.length, resolved, ...audit.tally });
    expect(audit.problems).toEqual([]);
    const expected = audit.used(limits);
    expect(Object.fromEntries(names.map((name, at) => [name, used[at]]))).toEqual(
      Object.fromEntries(names.map((name) => [name, expected.get(name) ?? 0])),
    );
    expectAllKinds(audit, journals.length);
  });
});

/** Or the run has proved nothing. */
function expectAllKinds({ tally }: Audit, lives: number): void {
  expect(tally['steps']).toBeGreaterThanOrEqual(steps);
  expect(lives).toBe(processCount + killedCount * deathsOfEach.length);
  const kinds = ['reserved', 'charged', 'refused', 'repeated', 'clashes', 'settled', 'late'];
  const others = ['settled again', 'refunded', 'refunded before', 'heartbeats held'];
  for (const kind of [...kinds, ...others, 'heartbeats gone']) {
    expect([kind, (tally[kind] ?? 0) > 0]).toEqual([kind, true]);
  }
}
