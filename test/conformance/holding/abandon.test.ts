import { describe, expect, it } from 'vitest';
import type { Question } from '../../../limiter/src/core/engine.ts';
import { bound, limitOf, question } from '../../support/limits.ts';
import { rated, ratedNames, slots } from '../algorithms.ts';
import { onEveryEngine } from '../rig.ts';

const open = limitOf({ ...slots, maxConcurrent: 2 });
const reserve = { ttlMs: 60_000, onExpiry: 'keep' } as const;

onEveryEngine('what is abandoned', (rig) => {
  const abandon = (unheard: Question) => rig.engine.abandon(rig.tenant, unheard);
  const usedOf = async (limit: ReturnType<typeof limitOf>) => (await rig.look(bound(limit))).used;

  describe.each(ratedNames)('%s', (name) => {
    const limit = limitOf(rated[name]);

    it('gives its holds back, and is settled', async () => {
      await rig.ask(bound(limit, 1));
      const unheard = question([bound(limit, 4)], { id: 'u', reserve });
      await rig.askAll(unheard);
      await abandon(unheard);
      expect(await usedOf(limit)).toBe(1);
      const settlement = { reservationId: 'u', costs: { requests: 4 } };
      expect(await rig.engine.settle(rig.tenant, settlement)).toMatchObject({
        kind: 'repeated',
        costs: { requests: 0 },
      });
      expect(await rig.engine.heartbeat(rig.tenant, { reservationId: 'u' })).toEqual({
        kind: 'gone',
      });
      rig.clock.advanceMs(60_000);
      expect(await usedOf(limit)).toBeLessThanOrEqual(1);
    });

    it('stays charged where it was charged', async () => {
      const unheard = question([bound(limit, 4)]);
      await rig.askAll(unheard);
      await abandon(unheard);
      expect(await usedOf(limit)).toBe(4);
    });
  });

  it('gives its slots back, in every limit and no one else’s', async () => {
    const wide = limitOf({ ...slots, name: 'wide' });
    const heard = await rig.ask(bound(open), bound(wide));
    const unheard = question([bound(open), bound(wide)], { id: 'u' });
    await rig.askAll(unheard);
    await abandon(unheard);
    expect([await usedOf(open), await usedOf(wide)]).toEqual([1, 1]);
    expect(await rig.engine.release(rig.tenant, heard.ticket ?? '')).toBe('released');
  });

  it('gives back slots and holds of one question together', async () => {
    const calls = limitOf(rated.fixed_window);
    const tokens = limitOf({ ...rated.fixed_window, name: 'tokens', unit: 'tokens' });
    const unheard = question([bound(open), bound(calls, 2), bound(tokens, 3)], {
      id: 'u',
      reserve,
    });
    await rig.askAll(unheard);
    await abandon(unheard);
    expect([await usedOf(open), await usedOf(calls), await usedOf(tokens)]).toEqual([0, 0, 0]);
  });

  it('does nothing when it is abandoned again, was refused or never arrived', async () => {
    const calls = limitOf(rated.fixed_window);
    await rig.askWith({ id: 'a' }, bound(open), bound(calls, 2));
    await rig.askWith({ id: 'b' }, bound(open), bound(calls, 2));
    const refused = question([bound(open), bound(calls, 1)], { id: 'u', reserve });
    await rig.askAll(refused);
    for (let again = 0; again < 2; again += 1) await abandon(refused);
    await abandon(question([bound(open), bound(calls, 1)], { id: 'never', reserve }));
    expect([await usedOf(open), await usedOf(calls)]).toEqual([2, 4]);
  });

  it('was settled before stays as it was settled', async () => {
    const calls = limitOf(rated.fixed_window);
    const heard = question([bound(calls, 2)], { id: 'u', reserve });
    await rig.askAll(heard);
    await rig.engine.settle(rig.tenant, { reservationId: 'u', costs: { requests: 3 } });
    await abandon(heard);
    expect(await usedOf(calls)).toBe(3);
  });

  it('of another tenant is not touched', async () => {
    const unheard = question([bound(open)], { id: 'u' });
    await rig.askAll(unheard);
    await rig.engine.abandon(rig.elsewhere().tenant, unheard);
    expect(await usedOf(open)).toBe(1);
  });
});

const max = 3;

onEveryEngine(
  'what is abandoned in the counter that newcomers share',
  (rig) => {
    it('gives its slots and holds back there', async () => {
      const one = limitOf({ ...slots, maxConcurrent: 1 });
      const calls = limitOf(rated.fixed_window);
      for (let at = 0; at < max; at += 1) await rig.ask(bound(one, 1, [`early-${at}`]));
      const limits = [bound(one, 1, ['late']), bound(calls, 5, ['late'])];
      const unheard = question(limits, { id: 'u', reserve });
      expect(await rig.askAll(unheard)).toMatchObject([{ allowed: true, degraded: 'overflow' }]);
      const next = () => rig.ask(bound(one, 1, ['later']), bound(calls, 5, ['later']));
      expect((await next()).allowed).toBe(false);
      await rig.engine.abandon(rig.tenant, unheard);
      expect(await next()).toMatchObject({ allowed: true, degraded: 'overflow' });
    });
  },
  {
    memory: { countersPerTenantMax: max },
    redis: { allowances: { countersPerHour: max, recordsPerHour: 1000 } },
  },
);
