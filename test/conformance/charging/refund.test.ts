import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BoundLimit } from '../../../limiter/src/core/engine.ts';
import { bound, limitOf } from '../../support/limits.ts';
import { foreverMs, rated, ratedNames, slots } from '../algorithms.ts';
import { onEveryEngine, type Answered, type Rig } from '../rig.ts';

function refund(rig: Rig, charged: Answered, ...limits: readonly BoundLimit[]): Promise<boolean> {
  return rig.engine.refund(rig.tenant, { id: charged.id, chargedAtUs: charged.nowUs, limits });
}

onEveryEngine('a refund', (rig) => {
  describe.each(ratedNames)('%s', (name) => {
    const limit = limitOf(rated[name]);

    it('gives back what was charged', async () => {
      const charged = await rig.ask(bound(limit, 3));
      await rig.ask(bound(limit, 2));
      expect(await refund(rig, charged, bound(limit, 3))).toBe(true);
      expect(await rig.look(bound(limit))).toMatchObject({ used: 2, remaining: 3 });
      expect((await rig.ask(bound(limit, 3))).allowed).toBe(true);
      expect((await rig.ask(bound(limit))).allowed).toBe(false);
    });

    it('gives back a part', async () => {
      const charged = await rig.ask(bound(limit, 5));
      await refund(rig, charged, bound(limit, 2));
      expect((await rig.look(bound(limit))).remaining).toBe(2);
    });

    it('applies once, however often it is asked for', async () => {
      const charged = await rig.ask(bound(limit, 2));
      await rig.ask(bound(limit, 2));
      expect(await refund(rig, charged, bound(limit, 2))).toBe(true);
      expect(await refund(rig, charged, bound(limit, 2))).toBe(false);
      rig.clock.advanceMs(1);
      expect(await refund(rig, charged, bound(limit, 1))).toBe(false);
      expect((await rig.look(bound(limit))).used).toBe(2);
    });

    it('never overfills', async () => {
      const charged = await rig.ask(bound(limit, 1));
      await refund(rig, charged, bound(limit, 1_000_000));
      expect(await rig.look(bound(limit))).toMatchObject({ used: 0, remaining: 5 });
      expect((await rig.ask(bound(limit, 5))).allowed).toBe(true);
      expect((await rig.ask(bound(limit))).allowed).toBe(false);
    });

    it('gives back nothing of what has come back with time', async () => {
      const charged = await rig.ask(bound(limit, 5));
      rig.clock.advanceMs(foreverMs);
      await rig.ask(bound(limit, 5));
      await refund(rig, charged, bound(limit, 5));
      expect((await rig.ask(bound(limit))).allowed).toBe(false);
      expect((await rig.look(bound(limit))).remaining).toBe(0);
    });

    it('of a counter that is gone leaves it as new', async () => {
      const charged = await rig.ask(bound(limit, 2));
      await rig.engine.reset(rig.tenant, [bound(limit)]);
      expect(await refund(rig, charged, bound(limit, 2))).toBe(true);
      expect(await rig.look(bound(limit))).toMatchObject({ used: 0, remaining: 5 });
    });
  });

  it('gives back all limits of a call together, and slots of none', async () => {
    const names = ratedNames.map((name) => limitOf({ ...rated[name], name }));
    const open = limitOf(slots);
    const charged = await rig.ask(...names.map((limit) => bound(limit, 3)), bound(open));
    const back = [...names.map((limit) => bound(limit, 3)), bound(open)];
    expect(await refund(rig, charged, ...back)).toBe(true);
    for (const limit of names) expect((await rig.look(bound(limit))).used).toBe(0);
    expect((await rig.look(bound(open))).used).toBe(1);
  });

  it('counts in the window that was charged only, at its very edge too', async () => {
    const limit = limitOf(rated.fixed_window);
    rig.clock.advanceUs(10_000_000 - 1);
    const charged = await rig.ask(bound(limit, 3));
    rig.clock.advanceUs(1);
    await rig.ask(bound(limit, 4));
    await refund(rig, charged, bound(limit, 3));
    expect((await rig.look(bound(limit))).used).toBe(4);
  });

  it('takes the sliding counter’s charge out of the window before', async () => {
    const limit = limitOf(rated.sliding_window_counter);
    rig.clock.nowUs -= rig.clock.nowUs % 10_000_000;
    const charged = await rig.ask(bound(limit, 4));
    rig.clock.advanceMs(12_500);
    expect((await rig.look(bound(limit))).used).toBe(3);
    await refund(rig, charged, bound(limit, 4));
    expect((await rig.look(bound(limit))).used).toBe(0);
  });

  it('takes the oldest out of the log, so that no window holds more than the limit', async () => {
    const limit = limitOf(rated.sliding_window_log);
    await rig.ask(bound(limit, 3));
    rig.clock.advanceMs(8000);
    const charged = await rig.ask(bound(limit, 2));
    await refund(rig, charged, bound(limit, 2));
    expect((await rig.ask(bound(limit, 2))).allowed).toBe(true);
    // Of the first three only one is left to go: had the newest gone, it would be three.
    rig.clock.advanceMs(2000);
    expect((await rig.look(bound(limit))).used).toBe(4);
  });

  it('never lets a bucket’s true usage exceed capacity + rate × time', async () => {
    const limit = limitOf({ algorithm: 'token_bucket', capacity: 10, refillPerSecond: 1 });
    const step = fc.record({
      kind: fc.constantFrom('take', 'take', 'refund'),
      cost: fc.integer({ min: 1, max: 10 }),
      waitMs: fc.constantFrom(0, 0, 300, 1000, 4000, 15_000),
    });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const fresh = rig.elsewhere();
      const charges: { decided: Answered; cost: number; kept: number }[] = [];
      for (const { kind, cost, waitMs } of steps) {
        rig.clock.advanceMs(waitMs);
        if (kind === 'take') {
          const decided = await fresh.ask(bound(limit, cost));
          if (decided.allowed) charges.push({ decided, cost, kept: cost });
          continue;
        }
        const charge = charges.find(({ kept, cost: all }) => kept === all);
        if (!charge) continue;
        const back = Math.min(cost, charge.cost);
        await refund(fresh, charge.decided, bound(limit, back));
        charge.kept -= back;
      }
      for (const [from, first] of charges.entries()) {
        let sum = 0;
        for (const { decided, kept } of charges.slice(from)) {
          sum += kept;
          const seconds = (decided.nowUs - first.decided.nowUs) / 1e6;
          expect(sum).toBeLessThanOrEqual(10 + seconds);
        }
      }
    });
    await fc.assert(property, { numRuns: rig.kind === 'memory' ? 200 : 20 });
  });
});
