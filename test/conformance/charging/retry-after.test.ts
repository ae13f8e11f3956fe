import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LimitInput } from '../../../limiter/src/core/limit-input.ts';
import type { Limit } from '../../../limiter/src/core/limit.ts';
import { bound, limitOf, question } from '../../support/limits.ts';
import { anyNumbers, anySteps, rated, ratedNames, slots, type Step } from '../algorithms.ts';
import { decidedOf, onEveryEngine, shown, type Rig } from '../rig.ts';

onEveryEngine('retry after', (rig) => {
  it.each(ratedNames)(
    '%s: waiting exactly as long succeeds, one microsecond less does not',
    async (name) => {
      let waits = 0;
      const property = fc.asyncProperty(anyNumbers[name], anySteps, async (input, steps) => {
        const fresh = rig.elsewhere();
        fresh.clock.nowUs = startUs;
        for (const step of steps) waits += await takeStep(fresh, limitOf(input), step);
      });
      const startUs = rig.clock.nowUs;
      await fc.assert(property, { numRuns: rig.kind === 'memory' ? 300 : 25 });
      expect(waits).toBeGreaterThan(20);
    },
  );

  it.each(ratedNames)('%s: an allowed call has nothing to wait for', async (name) => {
    const limit = bound(limitOf(rated[name]));
    expect(shown(await rig.ask(limit), limit).retryAfterUs).toBe(0);
  });

  it.each(ratedNames)('%s: by the reset time the whole limit is back', async (name) => {
    const limit = limitOf(rated[name]);
    await rig.ask(bound(limit, 2));
    rig.clock.advanceMs(777);
    await rig.ask(bound(limit, 2));
    rig.clock.nowUs = (await rig.look(bound(limit))).resetAtUs;
    expect((await rig.ask(bound(limit, 5))).allowed).toBe(true);
  });

  it('is for concurrency a hint of at most a second, and never past the first expiry', async () => {
    const limit = bound(limitOf({ ...slots, maxConcurrent: 1 }));
    await rig.ask(limit);
    expect(shown(await rig.ask(limit), limit).retryAfterUs).toBe(1_000_000);
    rig.clock.advanceMs(9_600);
    expect(shown(await rig.ask(limit), limit).retryAfterUs).toBe(400_000);
    rig.clock.advanceUs(400_000);
    expect((await rig.ask(limit)).allowed).toBe(true);
  });

  it('stays true when the limit was lowered below what is used', async () => {
    for (const name of ratedNames) {
      const fresh = rig.elsewhere();
      await fresh.ask(bound(limitOf(rated[name]), 5));
      await expectExactWait(fresh, limitOf(smaller(rated[name])), 1);
    }
  });
});

function smaller(input: LimitInput): LimitInput {
  return input.algorithm === 'token_bucket'
    ? { ...input, capacity: 2 }
    : ({ ...input, limit: 2 } as LimitInput);
}

/** Returns how many waits were put to the test. */
async function takeStep(rig: Rig, limit: Limit, { share, waitShare }: Step): Promise<number> {
  const cost = Math.max(1, Math.floor(limit.size * share));
  rig.clock.advanceUs(Math.floor(spanUs(limit) * waitShare));
  if ((await rig.ask(bound(limit, cost))).allowed) return 0;
  await expectExactWait(rig, limit, cost);
  return 1;
}

/** Leaves the clock at the instant at which the call succeeded. */
async function expectExactWait(rig: Rig, limit: Limit, cost: number): Promise<void> {
  const asked = bound(limit, cost);
  const refused = await rig.ask(asked);
  expect(refused.allowed).toBe(false);
  const { retryAfterUs } = shown(refused, asked);
  expect(retryAfterUs).toBeGreaterThan(0);
  rig.clock.advanceUs((retryAfterUs ?? 0) - 1);
  const [early] = await rig.askAll(question([asked]));
  expect(decidedOf(early).allowed).toBe(false);
  expect(shown(decidedOf(early), asked).retryAfterUs).toBe(1);
  rig.clock.advanceUs(1);
  expect((await rig.ask(asked)).allowed).toBe(true);
}

/** About the time in which the whole limit comes back. */
function spanUs({ numbers }: Limit): number {
  if (numbers.algorithm === 'token_bucket') return numbers.fillUs;
  if (numbers.algorithm === 'quota') return 3_600_000_000;
  return 'windowUs' in numbers ? numbers.windowUs : 0;
}
