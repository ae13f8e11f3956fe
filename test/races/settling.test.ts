// Every reservation is settled by five processes at once, each with a cost of its own, and one in
// ten after it ran out: one settlement counts, and all are told which.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../limiter/src/core/engine.ts';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import { MemoryEngine } from '../../limiter/src/engines/memory/index.ts';
import { limitOf } from '../support/limits.ts';
import { raceTenant } from './asking.ts';
import { runInProcess } from './in-process.ts';
import type { Job, JobResult, Target } from './jobs.ts';
import { Processes } from './processes.ts';
import { cluster, processCount, single, sum, usedIn, withEngine } from './running.ts';
import { isLate, reservedOf, type SettleTold, type UnitCosts } from './settling-jobs.ts';

const timeoutMs = 90_000;
const patient = { timeout: timeoutMs + 10_000 };
const [count, copies] = [1000, 5];
const numbers = Array.from({ length: count }, (_, number) => number);
const reservedOfUnit = (unit: keyof UnitCosts) => sum(numbers.map((at) => reservedOf(at)[unit]));

/** All that is reserved fits, to the unit: whatever is used beyond is overrun. */
const limits: readonly LimitInput[] = [
  {
    algorithm: 'fixed_window',
    name: 'calls',
    per: ['tenant'],
    limit: reservedOfUnit('requests'),
    window: '1 day',
    align: 'first_request',
  },
  {
    algorithm: 'quota',
    name: 'tokens',
    per: ['tenant'],
    unit: 'tokens',
    limit: reservedOfUnit('tokens'),
    period: 'year',
  },
  {
    algorithm: 'sliding_window_log',
    name: 'log',
    per: ['tenant'],
    limit: reservedOfUnit('requests'),
    window: '1 day',
  },
];

type Place = {
  readonly run: <J extends Job>(job: J) => Promise<JobResult<J>[]>;
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
    run: (job) => processes.run(target, job, { timeoutMs }),
    ask: (work) => withEngine(target, work),
  };
}

function inMemory(): Place {
  const engine = new MemoryEngine();
  return { run: (job) => runInProcess(engine, job), ask: (work) => work(engine) };
}

const places = [
  { place: 'in memory', open: inMemory },
  { place: 'on one Redis', open: () => onTarget(single()) },
  { place: 'on a Redis Cluster', open: () => onTarget(cluster()) },
];

describe.each(places)('$place', ({ open }) => {
  test('of settlements that race one counts, late or not', patient, async () => {
    const { run, ask } = open();
    const reserved = await run({ kind: 'reserve', count, limits });
    expect(sum(reserved.map(({ refused }) => refused))).toBe(0);
    await ask((engine) => past(engine, Math.max(...reserved.map(({ lastLateUs }) => lastLateUs))));

    const told = (await run({ kind: 'settle', count, copies })).flat();
    const settled = numbers.map((number) =>
      settledAs(
        number,
        told.filter((one) => one.number === number),
      ),
    );

    const bounds = limits.map((input) => ({ limit: limitOf(input), parts: [], cost: 0 }));
    const { used, held } = await ask(async (engine) => ({
      used: await usedIn(engine, raceTenant, bounds),
      held: (await engine.inspect(raceTenant, bounds)).readings.map((reading) => reading.held),
    }));
    expect(held).toEqual([0, 0, 0]);
    const requests = sum(settled.map((costs) => costs.requests));
    const tokens = sum(settled.map((costs) => costs.tokens));
    expect(used).toEqual([requests, tokens, requests]);
    for (const unit of ['requests', 'tokens'] as const) {
      const overrun = Math.max(0, sum(settled.map((costs) => costs[unit])) - reservedOfUnit(unit));
      const more = settled.map((costs, at) => Math.max(0, costs[unit] - reservedOf(at)[unit]));
      expect(overrun).toBeLessThanOrEqual(sum(more));
      expect(sum(more)).toBeGreaterThan(0);
    }
  });
});

/** What all who settled it were told that it cost: what one of them claimed. */
function settledAs(number: number, told: readonly SettleTold[]): UnitCosts {
  const kinds = told.map(({ kind }) => kind).toSorted();
  const repeated = Array.from({ length: copies - 1 }, () => 'repeated');
  expect({ number, kinds }).toEqual({ number, kinds: [...repeated, 'settled'] });
  const first = told.find(({ kind }) => kind === 'settled');
  for (const { late, costs } of told) {
    expect({ number, late, costs }).toEqual({
      number,
      late: isLate(number),
      costs: first?.claimed,
    });
  }
  return first?.claimed ?? { requests: 0, tokens: 0 };
}

/** Until the store's clock is past the instant. */
async function past(engine: Engine, untilUs: number): Promise<void> {
  for (;;) {
    const { nowUs } = await engine.inspect(raceTenant, []);
    if (nowUs > untilUs) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
