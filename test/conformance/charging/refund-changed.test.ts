// A refund comes with the limit as it was charged, which may have other numbers by then. It is held
// against a tenant with the same calls but for the one that is given back.

import { describe, expect, it } from 'vitest';
import type { LimitInput } from '../../../limiter/src/core/limit-input.ts';
import type { Limit } from '../../../limiter/src/core/limit.ts';
import { bound, limitOf } from '../../support/limits.ts';
import { ratedNames } from '../algorithms.ts';
import { changes } from '../changes.ts';
import { onEveryEngine, type Rig } from '../rig.ts';

const startUs = Date.UTC(2026, 0, 15, 12, 0, 2) * 1000;
const charged = 5;

/** When the numbers change and when the charge is given back, in milliseconds after it. */
const times = [
  { changedMs: 0, refundedMs: 0 },
  { changedMs: 500, refundedMs: 1000 },
  { changedMs: 3000, refundedMs: 12_000 },
  { changedMs: 10_500, refundedMs: 12_000 },
  { changedMs: 14_000, refundedMs: 14_500 },
  { changedMs: 30_000, refundedMs: 40_000 },
];

const ways = [{ by: 'the caller' }, { by: 'id' }] as const;

/** A bucket that was full in between has nothing left of the charge: see below. */
const windowNames = ratedNames.filter((name) => name !== 'token_bucket');
const unclipped = ['a larger bucket', 'a slower rate', 'a larger bucket and a slower rate'];

onEveryEngine('a refund under other numbers', (rig) => {
  describe.each(windowNames)('%s', (name) => {
    const { from, to } = changes[name];

    describe.each(Object.entries(to))('with %s', (_change, input) => {
      it.each(ways)('by $by forgets nothing else', async ({ by }) => {
        for (const time of times) {
          for (const seen of [true, false]) {
            const refunded = { before: limitOf(from), after: limitOf(input), time, seen };
            const { used } = await usedAfter(rig, { ...refunded, refundBy: by });
            const never = (await usedAfter(rig, { ...refunded, refundBy: null })).used;
            const told = { time, seen, used, never };
            expect({ ...told, isLess: used < never }).toEqual({ ...told, isLess: false });
          }
        }
      });
    });

    it.each(ways)('by $by gives back all of a charge that still counts whole', async ({ by }) => {
      for (const input of Object.values(to)) await expectWhole(rig, { from, to: input, by });
    });
  });

  describe('token_bucket', () => {
    const { from, to } = changes.token_bucket;

    it.each(ways)('by $by gives back no more time than was charged', async ({ by }) => {
      for (const input of Object.values(to)) {
        const rate = ('refillPerSecond' in input && input.refillPerSecond) || 0;
        for (const time of times) {
          for (const seen of [true, false]) {
            const refunded = { before: limitOf(from), after: limitOf(input), time, seen };
            const { used, usedBefore } = await usedAfter(rig, { ...refunded, refundBy: by });
            expect(usedBefore - used).toBeLessThanOrEqual(Math.ceil(charged * rate));
          }
        }
      }
    });

    it.each(ways)('by $by gives back all of it where nothing flows over', async ({ by }) => {
      for (const change of unclipped) {
        await expectWhole(rig, { from, to: to[change] as LimitInput, by });
      }
    });
  });
});

type Change = {
  readonly from: LimitInput;
  readonly to: LimitInput;
  readonly by: 'id' | 'the caller';
};

async function expectWhole(rig: Rig, { from, to, by }: Change): Promise<void> {
  const time = { changedMs: 0, refundedMs: 0 };
  const refunded = { before: limitOf(from), after: limitOf(to), time, seen: true };
  const { used } = await usedAfter(rig, { ...refunded, refundBy: by });
  expect(used).toBe((await usedAfter(rig, { ...refunded, refundBy: null })).used);
}

type Refunded = {
  readonly before: Limit;
  readonly after: Limit;
  readonly time: (typeof times)[number];
  /** Whether a check comes between the change and the refund. */
  readonly seen: boolean;
  /** Null: the charge was never made. */
  readonly refundBy: 'the caller' | 'id' | null;
};

async function usedAfter(rig: Rig, { before, after, time, seen, refundBy }: Refunded) {
  const here = rig.elsewhere();
  const { clock } = rig;
  // Both tenants at the same times, for windows are where the clock is.
  clock.nowUs = startUs;
  await here.ask(bound(before, 2));
  clock.advanceMs(1000);
  const charge = refundBy
    ? await here.askWith({ refundable: true }, bound(before, charged))
    : undefined;
  await here.ask(bound(before, 2));
  clock.advanceMs(time.changedMs);
  if (seen) await here.ask(bound(after, 1));
  clock.advanceMs(time.refundedMs - time.changedMs);
  const { used: usedBefore } = await here.look(bound(after));
  if (charge && refundBy === 'id') {
    await here.engine.refundCharge(here.tenant, { id: charge.id, costs: null });
  } else if (charge) {
    const { id, nowUs: chargedAtUs } = charge;
    const limits = [bound(before, charged)];
    await here.engine.refund(here.tenant, { id, chargedAtUs, limits });
  }
  return { usedBefore, used: (await here.look(bound(after))).used };
}
