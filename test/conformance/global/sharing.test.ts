import { describe, expect, it } from 'vitest';
import type { LimitInput } from '../../../limiter/src/core/limit-input.ts';
import { bound, limitOf, question } from '../../support/limits.ts';
import { foreverMs, rated, ratedNames } from '../algorithms.ts';
import { decidedOf, onEveryEngine, shown, verdictsOf } from '../rig.ts';
import { globalOf } from './global.ts';

onEveryEngine('a global limit', (rig) => {
  describe.each(ratedNames)('%s', (name) => {
    it('is one counter for all tenants and all their generations', async () => {
      const limit = bound(globalOf(rated[name]), 1, []);
      const other = rig.elsewhere();
      const later = rig.elsewhere({ id: rig.tenant.id, generation: 7 });
      expect((await rig.ask({ ...limit, cost: 2 })).allowed).toBe(true);
      expect(shown(await other.ask(limit), limit)).toMatchObject({ used: 3, remaining: 2 });
      expect(shown(await later.ask(limit), limit)).toMatchObject({ used: 4, remaining: 1 });
      expect((await other.ask(limit)).allowed).toBe(true);
      for (const one of [rig, other, later, rig.elsewhere()]) {
        expect(verdictsOf(await one.ask(limit))).toEqual(['exceeded']);
      }
      rig.clock.advanceMs(foreverMs);
      expect((await other.ask({ ...limit, cost: 5 })).allowed).toBe(true);
    });

    it('is seen and reset by any tenant', async () => {
      const limit = bound(globalOf(rated[name]), 1, []);
      const other = rig.elsewhere();
      await rig.ask({ ...limit, cost: 5 });
      expect(await other.readings(limit)).toEqual(await rig.readings(limit));
      expect((await other.look(limit)).used).toBe(5);
      await other.engine.reset(other.tenant, [limit]);
      expect((await rig.ask({ ...limit, cost: 5 })).allowed).toBe(true);
    });

    it('gives a refund back to all, once', async () => {
      const limit = bound(globalOf(rated[name]), 3, []);
      const own = bound(limitOf({ ...rated[name], name: 'own' }), 3);
      const { id, nowUs: chargedAtUs } = await rig.ask(limit, own);
      const refund = { id, chargedAtUs, limits: [own, limit] };
      const other = rig.elsewhere();
      await other.ask({ ...limit, cost: 1 });
      expect(await rig.engine.refund(rig.tenant, refund)).toBe(true);
      expect(await rig.engine.refund(rig.tenant, refund)).toBe(false);
      expect((await other.look(limit)).used).toBe(1);
      expect((await rig.look(own)).used).toBe(0);
      // Ids are a tenant's own: another one's refund is not taken for a repetition.
      const { nowUs } = await other.askWith({ id }, { ...limit, cost: 1 });
      const back = [{ ...limit, cost: 1 }];
      expect(
        await other.engine.refund(other.tenant, { id, chargedAtUs: nowUs, limits: back }),
      ).toBe(true);
      expect((await rig.look(limit)).used).toBe(1);
    });
  });

  it('is no tenant’s counter of the same name', async () => {
    const limit = globalOf(rated.fixed_window);
    const own = limitOf({ ...rated.fixed_window, name: limit.name, per: ['tenant'] });
    await rig.ask(bound(limit, 5, []));
    expect((await rig.look(bound(own, 1, []))).used).toBe(0);
  });

  it('tells apart what it counts, for all tenants alike', async () => {
    const limit = globalOf(rated.fixed_window, { per: ['global', 'resource'] });
    const other = rig.elsewhere();
    await rig.ask(bound(limit, 5, ['GET:/']));
    expect((await other.ask(bound(limit, 1, ['GET:/']))).allowed).toBe(false);
    expect((await other.ask(bound(limit, 5, ['PUT:/']))).allowed).toBe(true);
    expect((await rig.ask(bound(limit, 1, ['PUT:/']))).allowed).toBe(false);
  });

  it('is inspected together with others, in the order asked for', async () => {
    const first = globalOf(rated.token_bucket);
    const last = globalOf(rated.fixed_window);
    const own = limitOf({ ...rated.sliding_window_log, name: 'own' });
    const limits = [bound(first, 1, []), bound(own, 2), bound(last, 3, [])];
    await rig.ask(...limits);
    const inspection = await rig.engine.inspect(rig.tenant, limits);
    expect(inspection.nowUs).toBe(rig.clock.nowUs);
    const states = (await rig.readings(...limits)).map(({ state }) => Object.keys(state));
    expect(states).toEqual([
      ['emptyAtUs', 'fraction'],
      ['used', 'newestUs', 'fitsAtUs'],
      ['startUs', 'endUs', 'used'],
    ]);
    await rig.engine.reset(rig.tenant, limits);
    for (const limit of limits) expect((await rig.look(limit)).used).toBe(0);
    expect(await rig.readings(limits[2] ?? bound(last))).toHaveLength(1);
  });

  describe('that punishes', () => {
    const strict: LimitInput = { ...rated.fixed_window, blockFor: '20 s', blockGrowth: 2 };

    it('is in penalty for all, until that ends', async () => {
      const limit = bound(globalOf(strict), 1, []);
      const other = rig.elsewhere();
      await rig.ask({ ...limit, cost: 5 });
      const struck = await rig.ask(limit);
      expect(struck.readings[0]).toMatchObject({
        verdict: 'exceeded',
        blockedUntilUs: rig.clock.nowUs + 20_000_000,
      });
      rig.clock.advanceMs(15_000);
      expect(verdictsOf(await other.ask(limit))).toEqual(['penalty']);
      expect(verdictsOf(await other.ask({ ...limit, cost: 0 }))).toEqual(['penalty']);
      rig.clock.advanceMs(5000);
      expect((await other.ask(limit)).allowed).toBe(true);
    });

    it('does not strike for a call that only its tenant refuses', async () => {
      const limit = bound(globalOf(strict), 1, []);
      const own = bound(limitOf({ ...rated.fixed_window, name: 'own', limit: 1 }));
      await rig.ask(limit, own);
      const refused = await rig.ask(limit, own);
      expect(verdictsOf(refused)).toEqual(['ok', 'exceeded']);
      expect(refused.readings[0]?.blockedUntilUs).toBe(0);
      expect((await rig.elsewhere().ask(limit)).allowed).toBe(true);
    });

    it('does not strike for a repetition, a conflict or a stale snapshot', async () => {
      const limit = bound(globalOf(strict), 5, []);
      const idempotency = { scope: 's', key: 'k', fingerprint: 'f', ttlMs: 60_000 };
      expect((await rig.askWith({ idempotency }, limit)).allowed).toBe(true);
      expect((await rig.askWith({ idempotency }, limit)).replayed).toBe(true);
      const other = question([limit], { idempotency: { ...idempotency, fingerprint: 'g' } });
      expect(await rig.askAll(other)).toEqual([{ kind: 'conflict' }]);
      await rig.engine.publishEpoch(rig.tenant, { tenant: 2, shared: 1 });
      const snapshot = { epoch: { tenant: 1, shared: 1 } };
      const stale = { tenant: rig.tenant, questions: [question([limit])], snapshot };
      expect((await rig.engine.decide(stale)).kind).toBe('stale');
      const [reading] = await rig.readings(limit);
      expect(reading).toMatchObject({ verdict: 'exceeded', blockedUntilUs: 0 });
    });

    it('strikes longer on repetition, also in shadow', async () => {
      const limit = bound(globalOf(strict, { mode: 'shadow' }), 5, []);
      const own = bound(limitOf({ ...rated.fixed_window, name: 'own', limit: 50 }));
      const lengths: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        const answers = await rig.askAll(question([limit, own]), question([limit, own]));
        const [first, second] = answers.map(decidedOf);
        expect([first?.allowed, second?.allowed]).toEqual([true, true]);
        const blockedUntilUs = second?.readings[0]?.blockedUntilUs ?? 0;
        lengths.push(blockedUntilUs - rig.clock.nowUs);
        rig.clock.nowUs = blockedUntilUs;
      }
      expect(lengths).toEqual([20_000_000, 40_000_000, 80_000_000]);
    });

    it('is unblocked for all', async () => {
      const limit = bound(globalOf(strict), 1, []);
      const other = rig.elsewhere();
      await rig.ask({ ...limit, cost: 5 });
      await rig.ask(limit);
      rig.clock.advanceMs(10_000);
      expect(await other.engine.unblock(other.tenant, [limit])).toBe(1);
      expect((await rig.ask(limit)).allowed).toBe(true);
    });
  });

  describe('reserved', () => {
    const reserve = { ttlMs: 10_000, onExpiry: 'refund' } as const;

    it.each(ratedNames)('%s is charged at once, and settling leaves it alone', async (name) => {
      const limit = bound(globalOf(rated[name]), 3, []);
      const own = bound(limitOf({ ...rated.fixed_window, name: 'own', limit: 100 }), 3);
      const held = await rig.askWith({ id: 'r', reserve }, limit, own);
      expect(held.reservation).toMatchObject({ id: 'r' });
      expect(held.readings.map((reading) => reading.held)).toEqual([0, 3]);
      expect((await rig.elsewhere().ask(limit)).allowed).toBe(false);
      const settlement = { reservationId: 'r', costs: { requests: 1 } };
      expect(await rig.engine.settle(rig.tenant, settlement)).toMatchObject({ kind: 'settled' });
      expect((await rig.look(limit)).used).toBe(3);
      expect((await rig.look(own)).used).toBe(1);
    });

    it('alone makes a reservation of nothing, which is settled once', async () => {
      const limit = bound(globalOf(rated.fixed_window), 3, []);
      await rig.askWith({ id: 'r', reserve }, limit);
      const settlement = { reservationId: 'r', costs: { requests: 1 } };
      const { engine, tenant } = rig;
      expect(await engine.settle(tenant, settlement)).toMatchObject({
        kind: 'settled',
        late: false,
        debt: 0,
      });
      expect(await engine.settle(tenant, settlement)).toMatchObject({ kind: 'repeated' });
      expect((await rig.look(limit)).used).toBe(3);
    });

    it('in shadow counts what others refuse, for it is not held', async () => {
      const shadow = bound(globalOf(rated.fixed_window, { mode: 'shadow' }), 1, []);
      const own = bound(limitOf({ ...rated.fixed_window, name: 'own', limit: 1 }));
      for (let call = 0; call < 3; call += 1) await rig.askWith({ reserve }, own, shadow);
      expect((await rig.look(shadow)).used).toBe(3);
    });
  });
});

const few = 2;

onEveryEngine(
  'too many counters of a global limit',
  (rig) => {
    it('are one tenant’s affair, whose newcomers share one counter', async () => {
      const limit = globalOf(rated.fixed_window, { per: ['global', 'attributes.who'] });
      for (let at = 0; at < few; at += 1) {
        expect(await rig.ask(bound(limit, 1, [`early-${at}`]))).toMatchObject({ degraded: null });
      }
      const late = await rig.ask(bound(limit, 5, ['late']));
      expect(late).toMatchObject({ allowed: true, degraded: 'overflow' });
      expect(await rig.ask(bound(limit, 1, ['later']))).toMatchObject({
        allowed: false,
        degraded: 'overflow',
      });
      const other = rig.elsewhere();
      const known = await other.ask(bound(limit, 1, ['early-0']));
      expect(shown(known, bound(limit, 1, ['early-0']))).toMatchObject({ used: 2 });
      expect(await other.ask(bound(limit, 1, ['first']))).toMatchObject({ degraded: null });
    });

    it('give back to the shared counter what the tenant refuses', async () => {
      const limit = globalOf(rated.fixed_window, { per: ['global', 'attributes.who'] });
      const own = limitOf({ ...rated.fixed_window, name: 'own', limit: 1, per: ['tenant'] });
      for (let at = 0; at < few; at += 1) await rig.ask(bound(limit, 1, [`early-${at}`]));
      const late = bound(limit, 2, ['late']);
      expect((await rig.ask(late, bound(own, 1, []))).allowed).toBe(true);
      expect((await rig.ask(late, bound(own, 1, []))).allowed).toBe(false);
      expect((await rig.ask(bound(limit, 3, ['last']))).allowed).toBe(true);
    });
  },
  {
    memory: { countersPerTenantMax: few },
    redis: { allowances: { countersPerHour: few, recordsPerHour: 1000 } },
  },
);
