import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LimitInput } from '../../../limiter/src/core/limit-input.ts';
import { bound, limitOf } from '../../support/limits.ts';
import { rated, ratedNames, slots } from '../algorithms.ts';
import { onEveryEngine, verdictsOf } from '../rig.ts';

const steps = fc.array(
  fc.record({
    cost: fc.integer({ min: 0, max: 6 }),
    advanceMs: fc.constantFrom(0, 1, 400, 1000, 2500, 9000),
  }),
  { minLength: 5, maxLength: 25 },
);

const strict: LimitInput = {
  algorithm: 'token_bucket',
  name: 'strict',
  capacity: 6,
  refillPerSecond: 0.5,
};

onEveryEngine('shadow and warn limits', (rig) => {
  describe.each(['shadow', 'warn'] as const)('%s', (mode) => {
    it.each(ratedNames)('%s evolves as if it were enforced alone on all traffic', async (name) => {
      const shadow = limitOf({ ...rated[name], name: 'same', mode, blockFor: '2 s' });
      const alone = limitOf({ ...rated[name], name: 'same', blockFor: '2 s' });
      const enforced = limitOf(strict);
      const startUs = rig.clock.nowUs;
      const property = fc.asyncProperty(steps, async (schedule) => {
        rig.clock.nowUs = startUs;
        const both = rig.elsewhere();
        const onlyShadow = rig.elsewhere();
        const onlyEnforced = rig.elsewhere();
        for (const { cost, advanceMs } of schedule) {
          rig.clock.advanceMs(advanceMs);
          const more = { peek: cost === 0 };
          const answer = await both.askWith(more, bound(enforced, cost), bound(shadow, cost));
          const expected = await onlyEnforced.askWith(more, bound(enforced, cost));
          const counterfactual = await onlyShadow.askWith(more, bound(alone, cost));
          expect(answer.allowed).toBe(expected.allowed);
          expect(answer.readings[0]).toEqual(expected.readings[0]);
          expect(answer.readings[1]).toEqual(counterfactual.readings[0]);
        }
      });
      await fc.assert(property, { numRuns: rig.kind === 'memory' ? 50 : 4 });
    });

    it('never refuses', async () => {
      const limit = limitOf({ ...rated.fixed_window, mode });
      for (let call = 0; call < 8; call += 1) {
        const answer = await rig.ask(bound(limit));
        expect(answer.allowed).toBe(true);
        expect(verdictsOf(answer)).toEqual([call < 5 ? 'ok' : 'exceeded']);
      }
    });

    it('is charged although an enforced limit refuses the call', async () => {
      const shadow = limitOf({ ...rated.fixed_window, name: 'seen', mode });
      const enforced = limitOf({ ...rated.fixed_window, name: 'full', limit: 1 });
      for (let call = 0; call < 3; call += 1) await rig.ask(bound(enforced), bound(shadow));
      expect((await rig.look(bound(enforced))).used).toBe(1);
      expect((await rig.look(bound(shadow))).used).toBe(3);
    });

    it('does not charge what it would itself refuse', async () => {
      const shadow = limitOf({ ...rated.fixed_window, mode });
      await rig.ask(bound(shadow, 4));
      await rig.ask(bound(shadow, 2));
      expect((await rig.look(bound(shadow))).used).toBe(4);
      await rig.ask(bound(shadow, 9));
      expect((await rig.look(bound(shadow))).used).toBe(4);
    });

    it('counts open calls of those that were let in only', async () => {
      const shadow = limitOf({ ...slots, name: 'seen', mode });
      const enforced = limitOf({ ...rated.fixed_window, name: 'full', limit: 2 });
      for (let call = 0; call < 4; call += 1) await rig.ask(bound(enforced), bound(shadow));
      expect((await rig.look(bound(shadow))).used).toBe(2);
    });

    it('holds reservations of those that were let in only', async () => {
      const shadow = limitOf({ ...rated.token_bucket, name: 'seen', mode });
      const enforced = limitOf({ ...rated.fixed_window, name: 'full', limit: 1 });
      const reserve = { ttlMs: 1000, onExpiry: 'refund' } as const;
      for (let call = 0; call < 3; call += 1) {
        await rig.askWith({ reserve }, bound(enforced), bound(shadow));
      }
      expect((await rig.look(bound(shadow))).used).toBe(1);
    });

    it('gives no ticket for a slot that it had none of', async () => {
      const limit = limitOf({ ...slots, maxConcurrent: 1, mode });
      expect((await rig.ask(bound(limit))).ticket).not.toBeNull();
      const second = await rig.ask(bound(limit));
      expect(second).toMatchObject({ allowed: true, ticket: null });
    });

    it('is charged once when a call is repeated under an idempotency key', async () => {
      const shadow = limitOf({ ...rated.fixed_window, mode });
      const idempotency = { scope: 's', key: 'k', fingerprint: 'f', ttlMs: 60_000 };
      await rig.askWith({ idempotency }, bound(shadow));
      const again = await rig.askWith({ idempotency }, bound(shadow));
      expect(again.replayed).toBe(true);
      expect((await rig.look(bound(shadow))).used).toBe(1);
    });
  });
});
