import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BoundLimit } from '../../../limiter/src/core/engine.ts';
import { bound, limitOf } from '../../support/limits.ts';
import { anyNumbers, foreverMs, rated, ratedNames, slots } from '../algorithms.ts';
import { onEveryEngine, type Rig } from '../rig.ts';

function debit(rig: Rig, id: string, ...limits: readonly BoundLimit[]): Promise<boolean> {
  return rig.engine.debit(rig.tenant, { id, limits });
}

onEveryEngine('a debit', (rig) => {
  describe.each(ratedNames)('%s', (name) => {
    const limit = limitOf(rated[name]);

    it('charges what was let in elsewhere', async () => {
      await rig.ask(bound(limit, 1));
      expect(await debit(rig, randomUUID(), bound(limit, 3))).toBe(true);
      expect(await rig.look(bound(limit))).toMatchObject({ used: 4, remaining: 1 });
      expect((await rig.ask(bound(limit, 2))).allowed).toBe(false);
      expect((await rig.ask(bound(limit, 1))).allowed).toBe(true);
    });

    it('charges a counter that nobody has asked yet', async () => {
      await debit(rig, randomUUID(), bound(limit, 5));
      expect((await rig.ask(bound(limit))).allowed).toBe(false);
    });

    it('applies once under its id, however often it is sent', async () => {
      const id = randomUUID();
      expect(await debit(rig, id, bound(limit, 2))).toBe(true);
      expect(await debit(rig, id, bound(limit, 2))).toBe(false);
      expect((await rig.look(bound(limit))).used).toBe(2);
      expect(await debit(rig, randomUUID(), bound(limit, 2))).toBe(true);
      expect((await rig.look(bound(limit))).used).toBe(4);
    });

    it('may be more than there is, and comes back with time', async () => {
      await debit(rig, randomUUID(), bound(limit, 8));
      expect(await rig.look(bound(limit))).toMatchObject({ used: 8, remaining: 0 });
      rig.clock.advanceMs(foreverMs);
      expect((await rig.ask(bound(limit, 5))).allowed).toBe(true);
    });

    it('is no refund: an id of one is free for the other', async () => {
      const charged = await rig.ask(bound(limit, 2));
      expect(await debit(rig, charged.id, bound(limit, 1))).toBe(true);
      const { id, nowUs: chargedAtUs } = charged;
      const limits = [bound(limit, 2)];
      expect(await rig.engine.refund(rig.tenant, { id, chargedAtUs, limits })).toBe(true);
      expect((await rig.look(bound(limit))).used).toBe(1);
    });
  });

  it('charges several at once, and no slots', async () => {
    const bucket = limitOf({ ...rated.token_bucket, name: 'bucket' });
    const window = limitOf({ ...rated.fixed_window, name: 'window' });
    const open = limitOf({ ...slots, name: 'open' });
    await debit(rig, randomUUID(), bound(bucket, 2), bound(open, 5), bound(window, 4));
    expect((await rig.look(bound(bucket))).used).toBe(2);
    expect((await rig.look(bound(window))).used).toBe(4);
    expect((await rig.look(bound(open))).used).toBe(0);
  });

  it('charges global counters with the others', async () => {
    const name = randomUUID();
    const global = limitOf({ ...rated.fixed_window, name, per: ['global'] });
    const own = limitOf({ ...rated.token_bucket, name: 'own' });
    const id = randomUUID();
    expect(await debit(rig, id, bound(own, 2), bound(global, 3))).toBe(true);
    expect(await debit(rig, id, bound(own, 2), bound(global, 3))).toBe(false);
    expect((await rig.look(bound(own))).used).toBe(2);
    expect((await rig.elsewhere().look(bound(global))).used).toBe(3);
  });

  it.each(ratedNames)('is a charge like any other, where it fits: %s', async (name) => {
    const amounts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(anyNumbers[name], amounts, async (numbers, costs) => {
        const limit = limitOf(numbers);
        const [asked, debited] = [rig.elsewhere(), rig.elsewhere()];
        for (const cost of costs) {
          const { allowed } = await asked.ask(bound(limit, cost));
          if (allowed) await debit(debited, randomUUID(), bound(limit, cost));
          rig.clock.advanceMs(cost);
        }
        expect(await debited.look(bound(limit))).toEqual(await asked.look(bound(limit)));
      }),
      { numRuns: 20 },
    );
  });
});
