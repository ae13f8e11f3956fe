import { expect, it } from 'vitest';
import { bound, limitOf, question } from '../../support/limits.ts';
import { foreverMs, rated, ratedNames, slots } from '../algorithms.ts';
import { decidedOf, onEveryEngine, shown, verdictsOf } from '../rig.ts';

const all = [...ratedNames.map((name) => limitOf({ ...rated[name], name })), limitOf(slots)];

onEveryEngine('a peek', (rig) => {
  it.each(all.map((limit) => [limit.name, limit] as const))(
    'shows what %s would show and takes nothing',
    async (_name, limit) => {
      await rig.ask(bound(limit));
      rig.clock.advanceMs(100);
      const before = await rig.readings(bound(limit));
      for (let call = 0; call < 10; call += 1) {
        const answer = await rig.ask(bound(limit, 0));
        expect(answer).toMatchObject({ allowed: true, ticket: null, reservation: null });
        expect(shown(answer, bound(limit, 0))).toMatchObject({ used: 1, remaining: 4 });
      }
      expect(await rig.readings(bound(limit))).toEqual(before);
    },
  );

  it.each(all.map((limit) => [limit.name, limit] as const))(
    'is allowed when %s is used up to the last',
    async (_name, limit) => {
      for (let call = 0; call < 5; call += 1) await rig.ask(bound(limit));
      const answer = await rig.ask(bound(limit, 0));
      expect(answer.allowed).toBe(true);
      expect(shown(answer, bound(limit, 0))).toMatchObject({ remaining: 0, retryAfterUs: 0 });
    },
  );

  it.each(ratedNames)('is refused when %s is in debt, with the exact wait', async (name) => {
    const limit = limitOf(rated[name]);
    const reserve = { ttlMs: 60_000, onExpiry: 'keep' } as const;
    await rig.askWith({ id: 'over', reserve }, bound(limit, 1));
    const result = await rig.engine.settle(rig.tenant, {
      reservationId: 'over',
      costs: { requests: 8 },
    });
    expect(result).toMatchObject({ kind: 'settled', late: false, debt: 3 });
    const peek = await rig.ask(bound(limit, 0));
    expect(verdictsOf(peek)).toEqual(['exceeded']);
    const { retryAfterUs } = shown(peek, bound(limit, 0));
    rig.clock.advanceUs((retryAfterUs ?? 0) - 1);
    expect((await rig.ask(bound(limit, 0))).allowed).toBe(false);
    rig.clock.advanceUs(1);
    expect((await rig.ask(bound(limit, 0))).allowed).toBe(true);
  });

  it('leaves no trace in the ledger, among idempotency records or reservations', async () => {
    const limit = limitOf(rated.fixed_window);
    const idempotency = { scope: 's', key: 'k', fingerprint: 'f', ttlMs: 60_000 };
    const reserve = { ttlMs: 1000, onExpiry: 'keep' } as const;
    const more = { ledgerLabel: 'l', idempotency, reserve, id: 'peeked' };
    await rig.askWith(more, bound(limit, 0));
    const nothing = { kind: 'taken', counts: [] };
    expect(await rig.engine.takeLedger(rig.tenant, 1)).toEqual(nothing);
    const settlement = { reservationId: 'peeked', costs: { requests: 3 } };
    expect(await rig.engine.settle(rig.tenant, settlement)).toEqual({ kind: 'unknown' });
    const [asked] = await rig.askAll(question([bound(limit)], { idempotency }));
    expect(decidedOf(asked)).toMatchObject({ allowed: true, replayed: false });
  });

  it('of somebody unknown shows a whole allowance, at any time', async () => {
    for (const limit of all) {
      rig.clock.advanceMs(foreverMs);
      const answer = await rig.ask(bound(limit, 0));
      expect(shown(answer, bound(limit, 0))).toMatchObject({ used: 0, remaining: 5 });
    }
  });
});
