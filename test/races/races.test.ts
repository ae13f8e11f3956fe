// Eight processes that share nothing but the server, on its own clock: what they are granted
// together is exactly what one caller alone would have been granted.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import { limitOf } from '../support/limits.ts';
import type { Target } from './jobs.ts';
import { Processes } from './processes.ts';
import { cluster, countersOfTree, merged, processCount, single, sum, usedOf } from './running.ts';
import { raceScale } from './scale.ts';

const checks = 25_000 * raceScale;
const timeoutMs = 90_000;
const patient = { timeout: timeoutMs + 10_000 };

let processes: Processes;

beforeAll(async () => {
  processes = await Processes.start(processCount);
});

afterAll(async () => {
  await processes?.stop();
});

type Place = {
  readonly place: string;
  readonly target: () => Target;
  /** Of the checks, and of the limits that they race for. */
  readonly part: number;
};

// One slot of a cluster decides as one server does: there fewer are enough.
const places: readonly Place[] = [
  { place: 'one Redis', target: single, part: 1 },
  { place: 'a Redis Cluster', target: cluster, part: 0.1 },
];

describe.each(places)('on $place', ({ target, part }) => {
  const checksHere = checks * part;

  test('a bucket grants its capacity and what flowed in, to the token', patient, async () => {
    const capacity = 5000;
    const limit: LimitInput = { algorithm: 'token_bucket', capacity, refillPerSecond: 1 };
    const job = { kind: 'single', checks: checksHere, limit } as const;
    const results = await processes.run(target(), job, { timeoutMs });
    const firstUs = Math.min(...results.map((result) => result.firstUs));
    const lastUs = Math.max(...results.map((result) => result.lastUs));
    const spanUs = lastUs - firstUs;
    expect(spanUs).toBeGreaterThan(0);
    expect(sum(results.map(({ admitted }) => admitted))).toBe(
      capacity + Math.floor(spanUs / 1_000_000),
    );
  });

  test('a refusal at one level of a tree leaks nothing into the others', patient, async () => {
    const place = target();
    const day = { window: '1 day', align: 'first_request' } as const;
    const levels: [LimitInput, LimitInput, LimitInput] = [
      {
        algorithm: 'fixed_window',
        name: 'tenant',
        per: ['tenant'],
        limit: 90_000 * part * raceScale,
        ...day,
      },
      {
        algorithm: 'fixed_window',
        name: 'team',
        per: ['attributes.team'],
        limit: 10_000 * part * raceScale,
        ...day,
      },
      {
        algorithm: 'sliding_window_log',
        name: 'user',
        per: ['attributes.team', 'attributes.user'],
        limit: 2_000 * part * raceScale,
        window: '1 day',
      },
    ];
    const job = { kind: 'tree', checks: checksHere, levels } as const;
    const tallies = await processes.run(place, job, { timeoutMs });
    const admitted = merged(tallies.map((tally) => tally.admitted));
    const offered = merged(tallies.map((tally) => tally.asked));
    const limits = levels.map(limitOf);
    const counters = countersOfTree(limits);
    const used = await usedOf(place, counters);
    const hit = new Set<string>();
    for (const [at, { limit, parts }] of counters.entries()) {
      const name = parts.join('/');
      const counter = { name, used: used[at] };
      expect(counter).toEqual({ name, used: admitted.get(name) ?? 0 });
      expect(counter.used).toBeLessThanOrEqual(limit.size);
      // Costs are 1 to 3: a full counter may lack room for the last few.
      if ((counter.used ?? 0) > limit.size - 3) hit.add(limit.name);
    }
    // Every level must have refused, or the race proved nothing.
    expect([...hit].toSorted()).toEqual(['team', 'tenant', 'user']);
    expect(offered.get('')).toBeGreaterThan(processCount * checksHere);
  });
});

test('a window grants its limit, no more and no less', patient, async () => {
  const place = single();
  const window = { limit: 7000, window: '1 day', align: 'first_request' } as const;
  const limit: LimitInput = { algorithm: 'fixed_window', ...window };
  const results = await processes.run(place, { kind: 'single', checks, limit }, { timeoutMs });
  expect(sum(results.map(({ admitted }) => admitted))).toBe(7000);
  const counter = { limit: limitOf(limit), parts: ['one'], cost: 0 };
  expect(await usedOf(place, [counter])).toEqual([7000]);
});

test('the limits of many tenants are exact, each by itself', patient, async () => {
  const place = cluster();
  const size = 150;
  const tenants = 1000 * raceScale;
  const window = { limit: size, window: '1 day', align: 'first_request' } as const;
  const limit: LimitInput = { algorithm: 'fixed_window', ...window };
  const job = { kind: 'tenants', checks, tenants, limit } as const;
  const tallies = await processes.run(place, job, { timeoutMs });
  const admitted = merged(tallies.map((tally) => tally.admitted));
  const offered = merged(tallies.map((tally) => tally.asked));
  expect(offered.size).toBe(tenants);
  for (const [tenant, calls] of offered) {
    expect({ tenant, admitted: admitted.get(tenant) }).toEqual({
      tenant,
      admitted: Math.min(size, calls),
    });
  }
});
