import { describe, expect, it } from 'vitest';
import type { BoundLimit } from '../../../limiter/src/core/engine.ts';
import { bound, limitOf, question } from '../../support/limits.ts';
import { foreverMs, rated, ratedNames } from '../algorithms.ts';
import { decidedOf, onEveryEngine, shown, verdictsOf } from '../rig.ts';
import { globalOf } from './global.ts';

onEveryEngine('global limits and a tenant’s own', (rig) => {
  /** Global and own limits of every algorithm, in turn. */
  const mixed = (): BoundLimit[] =>
    ratedNames.flatMap((name) => [
      bound(globalOf(rated[name]), 1, []),
      bound(limitOf({ ...rated[name], name: `own-${name}` })),
    ]);

  it.each(ratedNames.flatMap((_, at) => [2 * at, 2 * at + 1]))(
    'are charged all or none, whichever refuses (%i)',
    async (at) => {
      const limits = mixed();
      const refusing = limits[at] as BoundLimit;
      await rig.ask({ ...refusing, cost: 5 });
      rig.clock.advanceUs(1);
      const before = await rig.readings(...limits);
      const answer = await rig.ask(...limits);
      expect(answer.allowed).toBe(false);
      expect(verdictsOf(answer)).toEqual(limits.map((_, i) => (i === at ? 'exceeded' : 'ok')));
      expect(answer.readings).toEqual(before);
      expect(await rig.readings(...limits)).toEqual(before);
      rig.clock.advanceMs(foreverMs);
      expect((await rig.ask(...limits.map((one) => ({ ...one, cost: 5 })))).allowed).toBe(true);
    },
  );

  it('are all charged when all admit, and shown in the order asked for', async () => {
    const limits = mixed().map((one, at) => ({ ...one, cost: 1 + (at % 5) }));
    const answer = await rig.ask(...limits);
    expect(answer.allowed).toBe(true);
    expect(limits.map((one, at) => shown(answer, one, at).used)).toEqual(
      limits.map(({ cost }) => cost),
    );
    for (const one of limits) expect((await rig.look(one)).used).toBe(one.cost);
  });

  it('that both refuse are both told', async () => {
    const limit = bound(globalOf(rated.fixed_window), 5, []);
    const own = bound(limitOf({ ...rated.token_bucket, name: 'own' }), 5);
    await rig.ask(own, limit);
    expect(verdictsOf(await rig.ask(own, limit))).toEqual(['exceeded', 'exceeded']);
    const impossible = await rig.ask({ ...own, cost: 6 }, limit);
    expect(verdictsOf(impossible)).toEqual(['impossible', 'exceeded']);
  });

  it('leave recovery alone: who is refused by its tenant all the time takes nothing', async () => {
    const limits = ratedNames.map((name) => bound(globalOf(rated[name]), 1, []));
    const full = bound(limitOf({ ...rated.quota, name: 'full', limit: 1, period: 'year' }));
    await rig.ask(full, ...limits.map((one) => ({ ...one, cost: 3 })));
    for (let second = 0; second < 25; second += 1) {
      expect((await rig.ask(full, ...limits)).allowed).toBe(false);
      rig.clock.advanceMs(1000);
    }
    const used = await Promise.all(limits.map(async (one) => (await rig.look(one)).used));
    expect(used).toEqual(ratedNames.map((name) => (name === 'quota' ? 3 : 0)));
  });

  it('take a first window from the first call that is let in', async () => {
    const limit = bound(globalOf(rated.first_request_window), 1, []);
    const own = bound(limitOf({ ...rated.fixed_window, name: 'own', limit: 1 }), 2);
    expect((await rig.ask(limit, own)).allowed).toBe(false);
    rig.clock.advanceMs(4000);
    await rig.ask(limit);
    expect((await rig.look(limit)).resetAtUs).toBe(rig.clock.nowUs + 10_000_000);
  });

  describe.each(['shadow', 'warn'] as const)('%s', (mode) => {
    it('and global counts what the tenant refuses, and lets in what it would refuse', async () => {
      const shadow = bound(globalOf(rated.fixed_window, { mode }), 1, []);
      const own = bound(limitOf({ ...rated.fixed_window, name: 'own', limit: 2 }));
      const seen: string[][] = [];
      for (let call = 0; call < 3; call += 1) seen.push(verdictsOf(await rig.ask(shadow, own)));
      expect(seen.at(-1)).toEqual(['ok', 'exceeded']);
      expect((await rig.look(shadow)).used).toBe(3);
      const other = rig.elsewhere();
      const verdicts: string[][] = [];
      for (let call = 0; call < 3; call += 1) verdicts.push(verdictsOf(await other.ask(shadow)));
      expect(verdicts).toEqual([['ok'], ['ok'], ['exceeded']]);
      expect((await other.ask(shadow)).allowed).toBe(true);
    });

    it('and the tenant’s own counts what a global limit refuses', async () => {
      const full = bound(globalOf(rated.fixed_window), 5, []);
      const shadow = bound(limitOf({ ...rated.fixed_window, name: 'seen', mode }));
      const own = bound(limitOf({ ...rated.fixed_window, name: 'own' }));
      await rig.ask(full);
      for (let call = 0; call < 3; call += 1) {
        const answer = await rig.ask(own, full, shadow);
        expect(answer.allowed).toBe(false);
        expect(verdictsOf(answer)).toEqual(['ok', 'exceeded', 'ok']);
      }
      expect((await rig.look(shadow)).used).toBe(3);
      expect((await rig.look(own)).used).toBe(0);
    });

    it('is noted in the ledger as a warning', async () => {
      const shadow = bound(globalOf(rated.fixed_window, { mode }), 5, []);
      const own = bound(limitOf({ ...rated.fixed_window, name: 'own' }));
      await rig.askWith({ ledgerLabel: 'orders' }, shadow, own);
      await rig.askWith({ ledgerLabel: 'orders' }, shadow, own);
      const ledger = await rig.engine.takeLedger(rig.tenant, 1);
      const counts = ledger.kind === 'taken' ? ledger.counts : [];
      expect(counts.map(({ outcome, count }) => `${outcome} ${count}`).toSorted()).toEqual([
        'allowed 1',
        'warned 1',
      ]);
    });
  });

  describe('under an idempotency key', () => {
    const idempotency = { scope: 's', key: 'k', fingerprint: 'f', ttlMs: 60_000 };

    it('are charged once, and shown again as they were', async () => {
      const enforced = bound(globalOf(rated.token_bucket), 2, []);
      const shadow = bound(globalOf(rated.sliding_window_log, { mode: 'shadow' }), 2, []);
      const own = bound(limitOf({ ...rated.fixed_window, name: 'own' }), 2);
      const limits = [enforced, own, shadow];
      const first = await rig.askWith({ idempotency }, ...limits);
      expect(first).toMatchObject({ allowed: true, replayed: false });
      rig.clock.advanceMs(10);
      for (let repeat = 0; repeat < 3; repeat += 1) {
        const again = await rig.askWith({ idempotency }, ...limits);
        expect(again).toMatchObject({ allowed: true, replayed: true, id: first.id });
        expect(again.readings).toEqual(first.readings);
      }
      rig.clock.nowUs = first.nowUs;
      for (const one of limits) expect((await rig.look(one)).used).toBe(2);
    });

    it('are shown again though the global limit is full by now', async () => {
      const limit = bound(globalOf(rated.fixed_window), 3, []);
      const first = await rig.askWith({ idempotency }, limit);
      await rig.elsewhere().ask({ ...limit, cost: 2 });
      const again = await rig.askWith({ idempotency }, limit);
      expect(again).toMatchObject({ allowed: true, replayed: true });
      expect(again.readings).toEqual(first.readings);
      expect((await rig.look(limit)).used).toBe(5);
    });

    it('are not shown again when the question is now about others', async () => {
      const limit = bound(globalOf(rated.fixed_window), 1, []);
      const other = bound(globalOf(rated.fixed_window), 1, []);
      await rig.askWith({ idempotency }, limit);
      const again = await rig.askWith({ idempotency }, other);
      expect(again).toMatchObject({ replayed: true, readings: [] });
      expect((await rig.look(other)).used).toBe(0);
    });

    it('are not charged by another question under the key', async () => {
      const limit = bound(globalOf(rated.fixed_window), 1, []);
      await rig.askWith({ idempotency }, limit);
      const other = question([limit], { idempotency: { ...idempotency, fingerprint: 'other' } });
      expect(await rig.askAll(other)).toEqual([{ kind: 'conflict' }]);
      expect((await rig.look(limit)).used).toBe(1);
    });

    it('are judged afresh after a refusal by either', async () => {
      const limit = bound(globalOf(rated.fixed_window), 5, []);
      const own = bound(limitOf({ ...rated.fixed_window, name: 'own' }));
      await rig.elsewhere().ask(limit);
      expect((await rig.askWith({ idempotency }, limit, own)).allowed).toBe(false);
      rig.clock.advanceMs(10_000);
      const answer = await rig.askWith({ idempotency }, limit, own);
      expect(answer).toMatchObject({ allowed: true, replayed: false });
    });
  });

  describe('asked with a snapshot', () => {
    const decide = async (limits: BoundLimit[], tenant: number, confirmed = false) => {
      const snapshot = { epoch: { tenant, shared: 1 }, confirmed };
      const call = { tenant: rig.tenant, questions: [question(limits)], snapshot };
      return (await rig.engine.decide(call)).kind;
    };

    it('are charged only when it is neither stale nor unknown', async () => {
      const limits = [bound(globalOf(rated.fixed_window), 2, []), ...mixed()];
      expect(await decide(limits, 1)).toBe('unknown');
      await rig.engine.publishEpoch(rig.tenant, { tenant: 2, shared: 1 });
      expect(await decide(limits, 1)).toBe('stale');
      for (const one of limits) expect((await rig.look(one)).used).toBe(0);
      expect(await decide(limits, 2)).toBe('answered');
      for (const one of limits) expect((await rig.look(one)).used).toBe(one.cost);
    });

    it('that is stale hear so though a global limit is full', async () => {
      const limit = bound(globalOf(rated.fixed_window), 5, []);
      await rig.ask(limit);
      expect(await decide([limit], 1)).toBe('unknown');
      expect(await decide([limit], 1, true)).toBe('answered');
    });
  });

  describe('of several questions in one call', () => {
    it('are decided in order', async () => {
      const limit = bound(globalOf(rated.fixed_window), 1, []);
      const own = bound(limitOf({ ...rated.token_bucket, name: 'own' }));
      const answers = await rig.askAll(
        question([limit, own]),
        question([own]),
        question([limit]),
        question([own, { ...limit, cost: 3 }]),
        question([own, limit]),
        question([own]),
      );
      const decided = answers.map(decidedOf);
      expect(decided.map(({ allowed }) => allowed)).toEqual([true, true, true, true, false, true]);
      expect(decided.map((one) => one.readings.length)).toEqual([2, 1, 1, 2, 2, 1]);
      expect(verdictsOf(decided[4] as (typeof decided)[0])).toEqual(['ok', 'exceeded']);
      expect((await rig.look(limit)).used).toBe(5);
      expect((await rig.look(own)).used).toBe(4);
    });

    it('give back what the tenant refuses, and keep what it lets in', async () => {
      const limits = ratedNames.map((name) => bound(globalOf(rated[name], { name }), 1, []));
      const own = bound(limitOf({ ...rated.fixed_window, name: 'own', limit: 2 }));
      await rig.engine.reset(rig.tenant, limits);
      const answers = await rig.askAll(
        ...Array.from({ length: 4 }, () => question([own, ...limits])),
      );
      expect(answers.map((one) => decidedOf(one).allowed)).toEqual([true, true, false, false]);
      for (const one of limits) expect((await rig.look(one)).used).toBe(2);
    });

    it('never take more than there is', async () => {
      const limit = bound(globalOf({ ...rated.fixed_window, limit: 7 }), 1, []);
      const full = bound(limitOf({ ...rated.fixed_window, name: 'full', limit: 1 }));
      await rig.ask(full);
      const asked = Array.from({ length: 20 }, (_, at) =>
        question(at % 2 === 0 ? [limit, full] : [limit]),
      );
      const answers = (await rig.askAll(...asked)).map(decidedOf);
      const admitted = answers.filter(({ allowed }) => allowed).length;
      // On a cluster what the tenant refuses stands in the way of the rest of the call.
      expect(admitted).toBe(rig.kind === 'redis cluster' ? 3 : 7);
      expect((await rig.look(limit)).used).toBe(admitted);
      expect((await rig.elsewhere().ask({ ...limit, cost: 7 - admitted })).allowed).toBe(true);
    });
  });

  it('peeked at are not touched, and refuse only in debt', async () => {
    const limits = mixed().map((one) => ({ ...one, cost: 0 }));
    const before = await rig.readings(...limits);
    const answer = await rig.ask(...limits);
    expect(answer.allowed).toBe(true);
    expect(await rig.readings(...limits)).toEqual(before);
  });

  it('with a concurrency limit give a ticket for its slot', async () => {
    const limit = bound(globalOf(rated.fixed_window), 1, []);
    const slots = limitOf({ algorithm: 'concurrency', maxConcurrent: 1, staleAfter: '10 s' });
    const { ticket } = await rig.ask(limit, bound(slots));
    const refused = await rig.ask(limit, bound(slots));
    expect(refused).toMatchObject({ allowed: false, ticket: null });
    expect((await rig.look(limit)).used).toBe(1);
    expect(await rig.engine.release(rig.tenant, ticket ?? '')).toBe('released');
    expect((await rig.ask(limit, bound(slots))).allowed).toBe(true);
  });
});
