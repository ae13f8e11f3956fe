// Every key many times at once: it is charged once, all are told the same, and another question
// under it is a conflict.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BoundLimit } from '../../limiter/src/core/engine.ts';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import { MemoryEngine } from '../../limiter/src/engines/memory/index.ts';
import { limitOf } from '../support/limits.ts';
import { raceTenant } from './asking.ts';
import { runInProcess } from './in-process.ts';
import type { IdempotencyJob, KeyOutcome, Target } from './jobs.ts';
import { Processes } from './processes.ts';
import { cluster, processCount, single, usedIn, usedOf } from './running.ts';
import { raceScale } from './scale.ts';

const timeoutMs = 90_000;
const patient = { timeout: timeoutMs + 10_000 };
const copies = 25;

const limit: LimitInput = {
  algorithm: 'fixed_window',
  limit: 100_000,
  window: '1 day',
  align: 'first_request',
};
const slots: LimitInput = {
  algorithm: 'concurrency',
  maxConcurrent: 1000,
  staleAfter: '10 min',
};
const storm: Omit<IdempotencyJob, 'keys'> = {
  kind: 'idempotency',
  copies,
  fingerprints: ['the question'],
  slots,
  reserve: { ttlMs: 600_000, onExpiry: 'refund' },
  limit,
};
const counters: BoundLimit[] = [limit, slots].map((input) => ({
  limit: limitOf(input),
  parts: ['one'],
  cost: 0,
}));
type Run = (job: IdempotencyJob) => Promise<readonly Record<string, KeyOutcome>[]>;

type Place = {
  readonly place: string;
  readonly keys: number;
  readonly open: () => { readonly run: Run; readonly used: () => Promise<number[]> };
};

let processes: Processes;

beforeAll(async () => {
  processes = await Processes.start(processCount);
});

afterAll(async () => {
  await processes?.stop();
});

function openTarget(made: Target) {
  const target = { ...made, allowances: { countersPerHour: 1000, recordsPerHour: 10_000 } };
  return {
    run: (job: IdempotencyJob) => processes.run(target, job, { timeoutMs }),
    used: () => usedOf(target, counters),
  };
}

function openMemory() {
  const engine = new MemoryEngine();
  return {
    run: (job: IdempotencyJob) => runInProcess(engine, job),
    used: () => usedIn(engine, raceTenant, counters),
  };
}

// One slot of a cluster answers as one server does: there fewer are enough.
const places: readonly Place[] = [
  { place: 'in memory', keys: 500 * raceScale, open: openMemory },
  { place: 'on one Redis', keys: 500 * raceScale, open: () => openTarget(single()) },
  { place: 'on a Redis Cluster', keys: 100 * raceScale, open: () => openTarget(cluster()) },
];

describe.each(places)('$place', ({ keys, open }) => {
  /** Of what every key costs, and of the slots that every other takes. */
  const once = [keys, keys / 2];

  test('a storm under one key charges once and answers alike', patient, async () => {
    const { run, used } = open();
    const outcomes = mergedOutcomes(await run({ ...storm, keys }));
    expect(outcomes.size).toBe(keys);
    for (const [key, { ids, answers, ...outcome }] of outcomes) {
      const told = { key, ids: ids.length, answers: answers.length, ...outcome };
      const replayed = processCount * copies - 1;
      const alike = { ids: 1, answers: 1, charged: 1, replayed, refused: 0, conflicts: 0 };
      expect(told).toMatchObject({ key, ...alike });
    }
    for (const key of ['key-1', 'key-2']) {
      const answer = JSON.parse(outcomes.get(key)?.answers[0] ?? '') as Record<string, unknown>;
      const holds = key === 'key-1';
      expect([answer['ticket'] !== null, answer['reservation'] !== null]).toEqual([holds, holds]);
    }
    expect(await used()).toEqual(once);

    const other = { ...storm, keys, copies: 2, fingerprints: ['another question'] };
    for (const [key, outcome] of mergedOutcomes(await run(other))) {
      const expected = { key, charged: 0, replayed: 0, conflicts: processCount * 2 };
      expect({ key, ...outcome }).toMatchObject(expected);
    }
    expect(await used()).toEqual(once);
  });

  test('of two questions that race under one key, one is answered', patient, async () => {
    const { run } = open();
    const fingerprints = ['one question', 'another question'];
    const few = 5;
    for (const [key, outcome] of mergedOutcomes(
      await run({ ...storm, keys, copies: few, fingerprints }),
    )) {
      const conflicts = (processCount / 2) * few;
      expect({ key, ...outcome }).toMatchObject({ key, charged: 1, conflicts });
      expect([outcome.fingerprints, outcome.answers].map(({ length }) => length)).toEqual([1, 1]);
    }
  });
});

function mergedOutcomes(results: readonly Record<string, KeyOutcome>[]): Map<string, KeyOutcome> {
  const total = new Map<string, KeyOutcome>();
  for (const result of results) {
    for (const [key, outcome] of Object.entries(result)) {
      const known = total.get(key);
      if (known) add(known, outcome);
      else total.set(key, outcome);
    }
  }
  return total;
}

function add(into: KeyOutcome, outcome: KeyOutcome): void {
  into.charged += outcome.charged;
  into.replayed += outcome.replayed;
  into.refused += outcome.refused;
  into.conflicts += outcome.conflicts;
  into.ids = [...new Set([...into.ids, ...outcome.ids])];
  into.answers = [...new Set([...into.answers, ...outcome.answers])];
  into.fingerprints = [...new Set([...into.fingerprints, ...outcome.fingerprints])];
}
