import { describe, expect, it } from 'vitest';
import type { BoundLimit, TenantRef } from '../../../limiter/src/core/engine.ts';
import type { LimitInput } from '../../../limiter/src/core/limit-input.ts';
import { createLimit } from '../../../limiter/src/core/limit.ts';
import { bound, limitOf, question } from '../../support/limits.ts';
import { rated, ratedNames, slots } from '../algorithms.ts';
import { onEveryEngine } from '../rig.ts';

onEveryEngine('counters', (rig) => {
  const apart = async (a: BoundLimit, b: BoundLimit) => {
    await rig.ask({ ...a, cost: 5 });
    expect((await rig.look(b)).used).toBe(0);
    expect((await rig.look(a)).used).toBe(5);
  };
  const limit = limitOf(rated.fixed_window);

  describe('are told apart', () => {
    const named = (more: Partial<LimitInput>) =>
      bound(limitOf({ ...rated.fixed_window, ...more } as LimitInput));

    it.each<[string, BoundLimit, BoundLimit]>([
      ['subjects', bound(limit, 1, ['a']), bound(limit, 1, ['b'])],
      ['where one part ends', bound(limit, 1, ['a', 'bc']), bound(limit, 1, ['ab', 'c'])],
      ['the order of parts', bound(limit, 1, ['a', 'b']), bound(limit, 1, ['b', 'a'])],
      ['absent and "-"', { ...bound(limit), parts: [null] }, bound(limit, 1, ['-'])],
      ['absent and "null"', { ...bound(limit), parts: [null] }, bound(limit, 1, ['null'])],
      ['a separator inside', bound(limit, 1, ['a', 'b:c']), bound(limit, 1, ['a:b', 'c'])],
      ['a length inside', bound(limit, 1, ['1:a', 'b']), bound(limit, 1, ['1', ':ab'])],
      ['braces', bound(limit, 1, ['{a}b']), bound(limit, 1, ['{a}c'])],
      ['bytes that look alike', bound(limit, 1, ['é']), bound(limit, 1, ['e\u0301'])],
      ['one part and the whole tenant', bound(limit, 1, ['a']), bound(limit, 1, [])],
      ['the name', named({ name: 'a' }), named({ name: 'b' })],
      ['the unit', named({ unit: 'a' }), named({ unit: 'b' })],
      ['what it is per', named({ per: ['subject'] }), named({ per: ['resource'] })],
    ])('by %s', async (_what, a, b) => {
      await apart(a, b);
    });

    it('by who defines the limit', async () => {
      const { algorithm: _a, size: _s, counterId: _c, enforced: _e, ...parts } = limit;
      const of = (definedBy: string) => bound(createLimit({ ...parts, definedBy }));
      await apart(of('plan-a'), of('plan-b'));
    });

    it('by the tenant', async () => {
      await rig.ask(bound(limit, 5));
      expect((await rig.elsewhere().ask(bound(limit, 5))).allowed).toBe(true);
    });
  });

  it('are one for limits that differ in numbers, mode and spelling of per only', async () => {
    await rig.ask(bound(limit, 3));
    const other = limitOf({
      ...rated.fixed_window,
      limit: 50,
      mode: 'warn',
      per: ['resource', 'tenant', 'subject'],
    });
    expect((await rig.look(bound(other))).used).toBe(3);
  });

  describe('inspected', () => {
    const all = [...ratedNames.map((name) => limitOf({ ...rated[name], name })), limitOf(slots)];

    it('show what a decision would, and are not touched', async () => {
      await rig.ask(...all.map((one) => bound(one, 2)));
      const limits = all.map((one) => bound(one, 4));
      const before = await rig.readings(...limits);
      for (let time = 0; time < 5; time += 1) {
        expect(await rig.readings(...limits)).toEqual(before);
      }
      const verdicts = before.map(({ verdict }) => verdict);
      expect(verdicts).toEqual(all.map((one) => (one.name === 'concurrency' ? 'ok' : 'exceeded')));
      const answer = await rig.ask(...limits);
      expect(answer.readings).toEqual(before);
    });

    it('of nobody are whole, and make no counter', async () => {
      for (const one of all) expect((await rig.look(bound(one))).used).toBe(0);
      expect(await rig.readings()).toEqual([]);
    });

    it('show a penalty', async () => {
      const strict = limitOf({ ...rated.fixed_window, blockFor: '1 min' });
      await rig.ask(bound(strict, 5));
      await rig.ask(bound(strict));
      const [reading] = await rig.readings(bound(strict, 0));
      expect(reading).toMatchObject({ verdict: 'penalty' });
      expect(reading?.blockedUntilUs).toBe(rig.clock.nowUs + 60_000_000);
    });
  });

  describe('reset', () => {
    it.each([...ratedNames.map((name) => rated[name]), slots])(
      '$algorithm: are as if nobody had ever called, penalty and holds included',
      async (input) => {
        const strict = limitOf({ ...input, blockFor: '1 h' });
        const reserve = { ttlMs: 60_000, onExpiry: 'keep' } as const;
        await rig.askWith({ reserve }, bound(strict, 2));
        for (let call = 0; call < 5; call += 1) await rig.ask(bound(strict));
        expect((await rig.ask(bound(strict))).allowed).toBe(false);
        await rig.engine.reset(rig.tenant, [bound(strict)]);
        expect(await rig.look(bound(strict))).toMatchObject({ used: 0, remaining: 5 });
        rig.clock.advanceMs(60_000);
        expect(await rig.look(bound(strict))).toMatchObject({ used: 0, remaining: 5 });
        expect((await rig.ask(bound(strict))).allowed).toBe(true);
      },
    );

    it('leave all others alone', async () => {
      await rig.ask(bound(limit, 5, ['a']));
      await rig.ask(bound(limit, 5, ['b']));
      await rig.engine.reset(rig.tenant, [bound(limit, 1, ['a'])]);
      await rig.engine.reset(rig.tenant, []);
      expect((await rig.ask(bound(limit, 5, ['a']))).allowed).toBe(true);
      expect((await rig.ask(bound(limit, 1, ['b']))).allowed).toBe(false);
    });
  });

  describe('of a later generation', () => {
    const ask = async (generation: number, cost: number) => {
      const later = rig.elsewhere({ id: rig.tenant.id, generation });
      return (await later.ask(bound(limit, cost))).allowed;
    };

    it('begin anew, and those before are abandoned', async () => {
      expect(await ask(0, 5)).toBe(true);
      expect(await ask(0, 1)).toBe(false);
      expect(await ask(1, 5)).toBe(true);
      expect(await ask(1, 1)).toBe(false);
      expect(await ask(11, 5)).toBe(true);
    });

    it('know nothing of reservations, keys and epochs before', async () => {
      const reserve = { ttlMs: 60_000, onExpiry: 'keep' } as const;
      const idempotency = { scope: 's', key: 'k', fingerprint: 'f', ttlMs: 60_000 };
      await rig.askWith({ id: 'r', reserve, idempotency }, bound(limit, 2));
      await rig.engine.publishEpoch(rig.tenant, { tenant: 5, shared: 5 });
      const tenant: TenantRef = { id: rig.tenant.id, generation: 1 };
      const settlement = { reservationId: 'r', costs: { requests: 4 } };
      expect(await rig.engine.settle(tenant, settlement)).toEqual({ kind: 'unknown' });
      const questions = [question([bound(limit)], { idempotency })];
      const result = await rig.engine.decide({ tenant, questions });
      expect(result).toMatchObject({ answers: [{ replayOf: null }] });
      const snapshot = { epoch: { tenant: 5, shared: 5 } };
      expect((await rig.engine.decide({ tenant, questions, snapshot })).kind).toBe('unknown');
    });
  });
});
