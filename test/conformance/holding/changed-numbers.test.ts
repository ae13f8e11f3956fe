// A reservation is settled by whoever made it, at any time: the limit may have other numbers by then.

import { describe, expect, it } from 'vitest';
import type { Reserve } from '../../../limiter/src/core/engine.ts';
import { bound, limitOf } from '../../support/limits.ts';
import { ratedNames } from '../algorithms.ts';
import { changes } from '../changes.ts';
import { onEveryEngine, type Rig } from '../rig.ts';

const reserved = 5;
const realCosts = [0, 2, 5, 8];

/** When it is settled, and what of the reservation is charged by then. */
const times: readonly {
  readonly when: string;
  readonly reserve: Reserve;
  readonly late: boolean;
}[] = [
  { when: 'in time', reserve: { ttlMs: 60_000, onExpiry: 'refund' }, late: false },
  { when: 'late', reserve: { ttlMs: 1000, onExpiry: 'refund' }, late: true },
  { when: 'late and kept', reserve: { ttlMs: 1000, onExpiry: 'keep' }, late: true },
];

onEveryEngine('settled under other numbers', (rig) => {
  describe.each(ratedNames)('%s', (name) => {
    const { from, to } = changes[name];

    describe.each(Object.entries(to))('with %s', (_change, input) => {
      const [before, after] = [limitOf(from), limitOf(input)];

      it.each(times)(
        '$when, what a check has since seen rises by exactly the real cost',
        async (time) => {
          for (const real of realCosts) {
            const here = rig.elsewhere();
            rig.clock.advanceMs(3_600_000 - ((rig.clock.nowUs / 1000) % 3_600_000));
            await here.ask(bound(before, 4));
            await here.askWith({ id: 'r', reserve: time.reserve }, bound(before, reserved));
            expect((await here.ask(bound(after, 1))).allowed).toBe(true);
            rig.clock.advanceMs(1000);
            await expectRise(here, { limit: after, real, time });
          }
        },
      );

      it.each(times)('$when, unseen by any check, by exactly the real cost', async (time) => {
        for (const real of realCosts) {
          const here = rig.elsewhere();
          rig.clock.advanceMs(3_600_000 - ((rig.clock.nowUs / 1000) % 3_600_000));
          await here.ask(bound(before, 14));
          await here.askWith({ id: 'r', reserve: time.reserve }, bound(before, reserved));
          rig.clock.advanceMs(1000);
          await expectRise(here, { limit: before, real, time });
        }
      });

      it('nothing is granted to whoever reads it in between', async () => {
        for (const time of times) {
          for (const real of realCosts) {
            const here = rig.elsewhere();
            rig.clock.advanceMs(3_600_000 - ((rig.clock.nowUs / 1000) % 3_600_000));
            await here.ask(bound(before, 14));
            await here.askWith({ id: 'r', reserve: time.reserve }, bound(before, reserved));
            rig.clock.advanceMs(1000);
            const { used } = await here.look(bound(after));
            await settle(here, real);
            const rest = used - (time.when === 'late' ? 0 : reserved);
            const now = (await here.look(bound(after))).used;
            expect({ time, real, used: now, isLess: now < rest }).toMatchObject({ isLess: false });
          }
        }
      });
    });
  });
});

type Time = (typeof times)[number];

async function expectRise(
  rig: Rig,
  { limit, real, time }: { limit: ReturnType<typeof limitOf>; real: number; time: Time },
): Promise<void> {
  const { used } = await rig.look(bound(limit));
  const counted = time.when === 'late' ? 0 : reserved;
  expect(await settle(rig, real)).toMatchObject({
    kind: 'settled',
    late: time.late,
    costs: { requests: real },
  });
  const now = (await rig.look(bound(limit))).used;
  expect({ real, used: now }).toEqual({ real, used: used - counted + real });
}

function settle(rig: Rig, requests: number) {
  return rig.engine.settle(rig.tenant, { reservationId: 'r', costs: { requests } });
}
