// A reservation that ran out and was charged, before the limit got other numbers, and is settled for
// less after that. It is held against a tenant with the same calls but for the reservation.

import { describe, expect, it } from 'vitest';
import type { Reserve } from '../../../limiter/src/core/engine.ts';
import type { LimitInput } from '../../../limiter/src/core/limit-input.ts';
import type { Limit } from '../../../limiter/src/core/limit.ts';
import { bound, limitOf } from '../../support/limits.ts';
import { ratedNames } from '../algorithms.ts';
import { changes } from '../changes.ts';
import { onEveryEngine, type Rig } from '../rig.ts';

const startUs = Date.UTC(2026, 0, 15, 12, 0, 2) * 1000;
const reserved = 5;
const keep: Reserve = { ttlMs: 1000, onExpiry: 'keep' };

/** How long after it ran out the numbers change, and how long after that it is settled. */
const times = [
  { changedMs: 0, settledMs: 0 },
  { changedMs: 500, settledMs: 500 },
  { changedMs: 2000, settledMs: 7000 },
  { changedMs: 9500, settledMs: 1000 },
  { changedMs: 12_000, settledMs: 12_000 },
];
const ways = [
  { since: 'a check', another: false },
  { since: 'another one kept', another: true },
];

/** What a smaller or faster bucket has lost meanwhile, because it was full, nobody knows. */
const unclipped = ['a larger bucket', 'a slower rate', 'a larger bucket and a slower rate'];
const cases = ratedNames.flatMap((name) =>
  Object.entries(changes[name].to)
    .filter(([change]) => name !== 'token_bucket' || unclipped.includes(change))
    .map(([change, to]) => ({ name, change, from: changes[name].from, to })),
);

onEveryEngine('kept, then changed', (rig) => {
  describe.each(cases)('$name with $change', ({ from, to }) => {
    const [before, after] = [limitOf(from), limitOf(to)];

    it.each(ways)('since $since, no more comes back than was charged', async ({ another }) => {
      for (const time of times) {
        for (const real of [0, 2]) {
          const kept = { before, after, time, another };
          const { used } = await usedAfter(rig, { ...kept, real });
          const never = (await usedAfter(rig, { ...kept, real: null })).used;
          const told = { time, real, used, never };
          expect({ ...told, isLess: used < never }).toEqual({ ...told, isLess: false });
        }
      }
    });

    it('all of it comes back where it still counts whole', async () => {
      const kept = { before, after, time: { changedMs: 0, settledMs: 0 }, another: false };
      const never = (await usedAfter(rig, { ...kept, real: null })).used;
      expect((await usedAfter(rig, { ...kept, real: 0 })).used).toBe(never);
    });
  });

  const { from, to } = changes.token_bucket;
  describe.each(Object.entries(to))('token_bucket with %s', (_change, input) => {
    it.each(ways)('since $since, no more time comes back than was charged', async ({ another }) => {
      const rate = ('refillPerSecond' in input && input.refillPerSecond) || 0;
      for (const time of times) {
        const kept = { before: limitOf(from), after: limitOf(input), time, another };
        const { usedBefore, used } = await usedAfter(rig, { ...kept, real: 0 });
        expect(usedBefore - used).toBeLessThanOrEqual(Math.ceil(reserved * rate));
      }
    });
  });

  it('gives back again once no charge under other numbers can count', async () => {
    const [slow, fast] = [limitOf(to['a slower rate'] as LimitInput), limitOf(from)];
    await rig.askWith({ id: 'slow', reserve: keep }, bound(slow, 1));
    rig.clock.advanceMs(1000);
    await rig.askWith({ id: 'fast', reserve: keep }, bound(fast, 1));
    rig.clock.advanceMs(1000);
    await rig.ask(bound(fast, 1));
    rig.clock.advanceMs(41_000);
    await rig.askWith({ id: 'later', reserve: keep }, bound(fast, reserved));
    rig.clock.advanceMs(1000);
    await rig.ask(bound(fast, 1));
    const { used } = await rig.look(bound(fast));
    await rig.engine.settle(rig.tenant, { reservationId: 'later', costs: { requests: 0 } });
    expect(used - (await rig.look(bound(fast))).used).toBe(reserved);
  });
});

type Kept = {
  readonly before: Limit;
  readonly after: Limit;
  readonly time: (typeof times)[number];
  /** Whether a second reservation is kept, under the numbers after the change. */
  readonly another: boolean;
  /** What is settled in the end; null: there was no reservation. */
  readonly real: number | null;
};

async function usedAfter(rig: Rig, { before, after, time, another, real }: Kept) {
  const here = rig.elsewhere();
  const { clock } = rig;
  // Both tenants at the same times, for windows are where the clock is.
  clock.nowUs = startUs;
  await here.ask(bound(before, 4));
  if (real !== null) await here.askWith({ id: 'r', reserve: keep }, bound(before, reserved));
  clock.advanceMs(1000);
  // Whoever asks charges what ran out.
  await here.ask(bound(before, 1));
  clock.advanceMs(time.changedMs);
  if (another) {
    await here.askWith({ id: 'another', reserve: keep }, bound(after, 1));
    clock.advanceMs(1000);
  }
  await here.ask(bound(after, 1));
  clock.advanceMs(time.settledMs);
  const { used: usedBefore } = await here.look(bound(after));
  if (real !== null) {
    const costs = { requests: real };
    await here.engine.settle(here.tenant, { reservationId: 'r', costs });
  }
  return { usedBefore, used: (await here.look(bound(after))).used };
}
