import { limitFromWire } from 'sluice/contract';
import { parseLimit } from 'sluice/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LimitOf } from '../algorithms.ts';
import { bucketLevel, type Charge, weighWindows } from './state.ts';

const bucket: LimitOf<'token_bucket'> = {
  name: 'b',
  algorithm: 'token_bucket',
  bucket_capacity: 10,
  refill_rate_per_sec: 2,
};
const counter: LimitOf<'sliding_window_counter'> = {
  name: 'c',
  algorithm: 'sliding_window_counter',
  limit: 10,
  window_seconds: 10,
};

/** Calls of cost 1 to 3 at rising times, of which the real algorithm admits some. */
const schedule = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 1, max: 3 })), {
    maxLength: 60,
  })
  .map((steps) => {
    let atMs = 1_790_000_000_000;
    return steps.map(([gapMs, cost]) => ({ atMs: (atMs += gapMs), cost }));
  });

/** What the service would say is left after these, by the same arithmetic as the service. */
function admitted(wire: unknown, calls: readonly Charge[]) {
  const limit = parseLimit(limitFromWire(wire, 'limit'), { definedBy: 'test', field: 'limit' });
  if (!limit) throw new Error('it is on');
  const { algorithm, numbers } = limit;
  let state = algorithm.load(numbers, undefined, 0);
  const charges: Charge[] = [];
  for (const { atMs, cost } of calls) {
    state = algorithm.load(numbers, state, atMs * 1000);
    if (!algorithm.admits(numbers, state, cost, atMs * 1000)) continue;
    state = algorithm.charge(numbers, state, cost, atMs * 1000);
    charges.push({ atMs, cost });
  }
  const nowMs = calls.at(-1)?.atMs ?? 1_790_000_000_000;
  state = algorithm.load(numbers, state, nowMs * 1000);
  const reading = algorithm.read(numbers, state, 0, nowMs * 1000);
  const { remaining } = algorithm.show(numbers, reading, 0, nowMs * 1000);
  return { charges, nowMs, remaining };
}

describe('what is drawn is what the limit remembers:', () => {
  it('the level of a bucket', () => {
    fc.assert(
      fc.property(schedule, (calls) => {
        const { charges, nowMs, remaining } = admitted(bucket, calls);
        const level = bucketLevel(bucket, charges, nowMs);
        expect(Math.abs(level - remaining)).toBeLessThan(1 + 1e-6);
        expect(level).toBeLessThanOrEqual(10);
      }),
    );
  });

  it('two counters, weighed', () => {
    fc.assert(
      fc.property(schedule, (calls) => {
        const { charges, nowMs, remaining } = admitted(counter, calls);
        const { used } = weighWindows(charges, 10_000, nowMs);
        expect(Math.abs(10 - used - remaining)).toBeLessThan(1 + 1e-6);
      }),
    );
  });
});
