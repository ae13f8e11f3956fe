// Eight processes on limits that are more than one counter: of all tenants together, of a tree of
// quotas, and with costs that are far from equal.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import { limitOf } from '../support/limits.ts';
import type { GlobalJob, Target } from './jobs.ts';
import { Processes } from './processes.ts';
import {
  cluster,
  countersOfTree,
  merged,
  processCount,
  single,
  sum,
  usedByTenants,
  usedOf,
} from './running.ts';

const timeoutMs = 60_000;
const patient = { timeout: timeoutMs + 10_000 };
const tenants = 20;
const day = { window: '1 day', align: 'first_request' } as const;

let processes: Processes;

beforeAll(async () => {
  processes = await Processes.start(processCount);
});

afterAll(async () => {
  await processes?.stop();
});

const places: readonly { readonly place: string; readonly target: () => Target }[] = [
  { place: 'one Redis', target: single },
  { place: 'a Redis Cluster', target: cluster },
];

function globalJob(sharedSize: number, ownSize: number): GlobalJob {
  return {
    kind: 'global',
    checks: 1000,
    tenants,
    shared: { algorithm: 'fixed_window', name: 'all', per: ['global'], limit: sharedSize, ...day },
    own: { algorithm: 'fixed_window', name: 'own', per: ['tenant'], limit: ownSize, ...day },
  };
}

async function race(place: Target, job: GlobalJob) {
  const tallies = await processes.run(place, job, { timeoutMs });
  const admitted = merged(tallies.map((tally) => tally.admitted));
  const asked = merged(tallies.map((tally) => tally.asked));
  const shared = { limit: limitOf(job.shared), parts: [], cost: 0 };
  const [used] = await usedOf(place, [shared]);
  const own = { limit: limitOf(job.own), parts: [], cost: 0 };
  expect(await usedByTenants(place, [...admitted.keys()], own)).toEqual([...admitted.values()]);
  expect(Math.max(...admitted.values())).toBeLessThanOrEqual(own.limit.size);
  expect(asked.size).toBe(tenants);
  return { used, admitted: sum([...admitted.values()]), asked, own: own.limit.size };
}

describe.each(places)('a limit of twenty tenants on $place', ({ place, target }) => {
  test('grants them exactly what there is', patient, async () => {
    const { used, admitted } = await race(target(), globalJob(2000, 1_000_000));
    expect(admitted).toBe(2000);
    expect(used).toBe(2000);
  });

  test('is not charged for what the tenants refuse', patient, async () => {
    const { used, admitted, asked, own } = await race(target(), globalJob(100_000, 200));
    const allowed = sum([...asked.values()].map((calls) => Math.min(own, calls)));
    expect(admitted).toBe(allowed);
    expect(used).toBe(allowed);
  });

  test('grants no more than there is where both refuse', patient, async () => {
    const { used, admitted } = await race(target(), globalJob(2000, 120));
    expect(used).toBe(admitted);
    expect(admitted).toBeLessThanOrEqual(2000);
    // On a cluster what is about to be given back may stand in another's way for a moment; as long
    // as the calls go on, somebody else has it then.
    expect(admitted).toBeGreaterThanOrEqual(place === 'one Redis' ? 2000 : 1900);
  });
});

describe.each(places)('a tree of quotas on $place', ({ target }) => {
  test('is exact at every level, and a refusal leaks nothing', patient, async () => {
    const place = target();
    const year = { algorithm: 'quota', period: 'year' } as const;
    const levels: [LimitInput, LimitInput, LimitInput] = [
      { ...year, name: 'organisation', per: ['tenant'], limit: 18_000 },
      { ...year, name: 'team', per: ['tenant', 'attributes.team'], limit: 2_500 },
      { ...year, name: 'user', per: ['tenant', 'attributes.team', 'attributes.user'], limit: 400 },
    ];
    const job = { kind: 'tree', checks: 4000, levels } as const;
    const tallies = await processes.run(place, job, { timeoutMs });
    const admitted = merged(tallies.map((tally) => tally.admitted));
    const limits = levels.map(limitOf);
    const counters = countersOfTree(limits);
    const used = await usedOf(place, counters);
    const full = new Set<string>();
    for (const [at, { limit, parts }] of counters.entries()) {
      const name = parts.join('/');
      expect({ name, used: used[at] }).toEqual({ name, used: admitted.get(name) ?? 0 });
      expect(used[at]).toBeLessThanOrEqual(limit.size);
      // Costs are 1 to 3: a full counter may lack room for the last few.
      if ((used[at] ?? 0) > limit.size - 3) full.add(limit.name);
    }
    expect([...full].toSorted()).toEqual(['organisation', 'team', 'user']);
  });
});

describe.each(places)('costs of 1 to 500 on $place', ({ target }) => {
  test.each<LimitInput>([
    { algorithm: 'fixed_window', limit: 300, ...day },
    { algorithm: 'token_bucket', capacity: 300, refillPerSecond: 2000 },
    { algorithm: 'sliding_window_log', limit: 300, window: '1 day' },
  ])('$algorithm: never more than there is, and what can never fit is told so', async (limit) => {
    const place = target();
    const job = { kind: 'weighted', checks: 1000, costMax: 500, limit } as const;
    const results = await processes.run(place, job, { timeoutMs });
    const firstUs = Math.min(...results.map((result) => result.firstUs));
    const lastUs = Math.max(...results.map((result) => result.lastUs));
    const refilled = limit.algorithm === 'token_bucket' ? ((lastUs - firstUs) * 2000) / 1e6 : 0;
    const admitted = sum(results.map((result) => result.admitted));
    expect(admitted).toBeLessThanOrEqual(300 + Math.floor(refilled));
    expect(admitted).toBeGreaterThan(250);
    expect(Math.max(...results.map(({ largest }) => largest))).toBeGreaterThan(300);
    expect(sum(results.map(({ impossible }) => impossible))).toBeGreaterThan(0);
    for (const result of results) {
      expect(result).toMatchObject({ possibleCalledImpossible: 0, impossibleAdmitted: 0 });
    }
  });
});
