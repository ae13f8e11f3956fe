import { describe, expect, it } from 'vitest';
import type { Reserve } from '../../../limiter/src/core/engine.ts';
import type { Limit } from '../../../limiter/src/core/limit.ts';
import { bound, limitOf } from '../../support/limits.ts';
import { rated, ratedNames, slots } from '../algorithms.ts';
import { onEveryEngine } from '../rig.ts';

const minute: Reserve = { ttlMs: 1000, onExpiry: 'refund' };

onEveryEngine('reservations', (rig) => {
  const reserve = (id: string, limit: Limit, cost: number, more: Partial<Reserve> = {}) =>
    rig.askWith({ id, reserve: { ...minute, ...more } }, bound(limit, cost));
  const settle = (reservationId: string, requests: number) =>
    rig.engine.settle(rig.tenant, { reservationId, costs: { requests } });

  describe.each(ratedNames)('%s', (name) => {
    const limit = limitOf(rated[name]);
    const look = () => rig.look(bound(limit));

    it('count as used while they are open', async () => {
      const answer = await reserve('r', limit, 3);
      expect(answer.reservation).toEqual({ id: 'r', expiresAtUs: rig.clock.nowUs + 1_000_000 });
      expect(await look()).toMatchObject({ used: 3, remaining: 2 });
      expect((await rig.ask(bound(limit, 3))).allowed).toBe(false);
      expect((await rig.ask(bound(limit, 2))).allowed).toBe(true);
      expect((await reserve('s', limit, 1)).allowed).toBe(false);
    });

    it('give the rest back when less was used', async () => {
      await reserve('r', limit, 5);
      expect(await settle('r', 2)).toMatchObject({ kind: 'settled', late: false, debt: 0 });
      expect(await look()).toMatchObject({ used: 2, remaining: 3 });
    });

    it('cost nothing when nothing was used', async () => {
      await reserve('r', limit, 5);
      expect(await settle('r', 0)).toMatchObject({ kind: 'settled', late: false, debt: 0 });
      expect(await look()).toMatchObject({ used: 0, remaining: 5 });
    });

    it('cost what was reserved when the unit is not named', async () => {
      await reserve('r', limit, 4);
      await rig.engine.settle(rig.tenant, { reservationId: 'r', costs: { tokens: 1 } });
      expect((await look()).used).toBe(4);
    });

    it('become debt when more was used, at most one limit of it', async () => {
      await reserve('r', limit, 1);
      expect(await settle('r', 7)).toMatchObject({ kind: 'settled', late: false, debt: 2 });
      expect((await rig.ask(bound(limit))).allowed).toBe(false);
      await rig.engine.reset(rig.tenant, [bound(limit)]);
      await reserve('s', limit, 1);
      expect(await settle('s', 1_000_000)).toMatchObject({ kind: 'settled', late: false, debt: 5 });
      expect((await look()).used).toBe(10);
    });

    it('are settled once', async () => {
      await reserve('r', limit, 3);
      await settle('r', 2);
      expect(await settle('r', 5)).toMatchObject({ kind: 'repeated' });
      expect((await look()).used).toBe(2);
    });

    it('are given back when they run out, and not a microsecond before', async () => {
      await reserve('r', limit, 5);
      rig.clock.advanceUs(1_000_000 - 1);
      expect((await rig.ask(bound(limit))).allowed).toBe(false);
      rig.clock.advanceUs(1);
      expect(await look()).toMatchObject({ used: 0, remaining: 5 });
      expect((await rig.ask(bound(limit, 5))).allowed).toBe(true);
    });

    it('are charged as reserved when they run out and are to be kept', async () => {
      await reserve('r', limit, 5, { onExpiry: 'keep', ttlMs: 200 });
      rig.clock.advanceMs(200);
      expect((await look()).used).toBe(5);
      expect((await rig.ask(bound(limit))).allowed).toBe(false);
    });

    it('settled late are charged all the same', async () => {
      await reserve('r', limit, 3);
      rig.clock.advanceMs(1000);
      expect((await look()).used).toBe(0);
      expect(await settle('r', 2)).toMatchObject({ kind: 'settled', late: true, debt: 0 });
      expect((await look()).used).toBe(2);
      expect(await settle('r', 2)).toMatchObject({ kind: 'repeated' });
    });

    it('kept and settled late are charged the difference, up or down', async () => {
      await reserve('r', limit, 3, { onExpiry: 'keep', ttlMs: 1 });
      rig.clock.advanceMs(1);
      expect(await settle('r', 1)).toMatchObject({ kind: 'settled', late: true });
      expect((await look()).used).toBe(1);
      await reserve('s', limit, 1, { onExpiry: 'keep', ttlMs: 1 });
      rig.clock.advanceMs(1);
      expect(await settle('s', 3)).toMatchObject({ kind: 'settled', late: true });
      expect((await look()).used).toBe(4);
    });

    it('are held on by heartbeats, but not once they ran out or were settled', async () => {
      const beat = (reservationId: string) =>
        rig.engine.heartbeat(rig.tenant, { reservationId, ttlMs: 1000 });
      await reserve('r', limit, 5);
      rig.clock.advanceMs(700);
      expect(await beat('r')).toMatchObject({ kind: 'held' });
      rig.clock.advanceMs(700);
      expect((await rig.ask(bound(limit))).allowed).toBe(false);
      rig.clock.advanceMs(300);
      expect(await beat('r')).toEqual({ kind: 'gone' });
      expect((await look()).used).toBe(0);
      await reserve('s', limit, 5);
      await settle('s', 0);
      expect(await beat('s')).toEqual({ kind: 'gone' });
      expect((await look()).used).toBe(0);
    });

    it('of several holders add up and end one by one', async () => {
      await reserve('r', limit, 2, { ttlMs: 100 });
      await reserve('s', limit, 2, { ttlMs: 300 });
      await rig.ask(bound(limit, 1));
      expect((await look()).remaining).toBe(0);
      rig.clock.advanceMs(100);
      expect((await look()).remaining).toBe(2);
      rig.clock.advanceMs(200);
      expect((await look()).remaining).toBe(4);
    });
  });

  it('that nobody made are unknown', async () => {
    expect(await settle('nobody', 1)).toEqual({ kind: 'unknown' });
    const beat = { reservationId: 'nobody', ttlMs: 1000 };
    expect(await rig.engine.heartbeat(rig.tenant, beat)).toEqual({ kind: 'unknown' });
  });

  it('of another tenant are unknown', async () => {
    const limit = limitOf(rated.fixed_window);
    await reserve('r', limit, 3);
    const settlement = { reservationId: 'r', costs: { requests: 1 } };
    const { tenant } = rig.elsewhere();
    expect(await rig.engine.settle(tenant, settlement)).toEqual({ kind: 'unknown' });
  });

  it('that were refused hold nothing and cannot be settled', async () => {
    const limit = limitOf(rated.fixed_window);
    await rig.ask(bound(limit, 5));
    expect((await reserve('r', limit, 1)).reservation).toBeNull();
    expect(await settle('r', 1)).toEqual({ kind: 'unknown' });
  });

  it('settle each limit in its own unit, and report the largest debt', async () => {
    const calls = limitOf({ ...rated.fixed_window, name: 'calls' });
    const tokens = limitOf({
      ...rated.token_bucket,
      name: 'tokens',
      unit: 'tokens',
      capacity: 100,
    });
    const more = { id: 'r', reserve: minute };
    await rig.askWith(more, bound(calls, 1), bound(tokens, 50));
    const costs = { requests: 1, tokens: 130 };
    const result = await rig.engine.settle(rig.tenant, { reservationId: 'r', costs });
    expect(result).toMatchObject({ kind: 'settled', late: false, debt: 30 });
    expect((await rig.look(bound(calls))).used).toBe(1);
    expect((await rig.look(bound(tokens))).used).toBe(130);
  });

  it('take a slot of a concurrency limit at once, to be released by the ticket', async () => {
    const open = limitOf(slots);
    const more = { id: 'r', reserve: minute };
    const answer = await rig.askWith(more, bound(open), bound(limitOf(rated.fixed_window), 2));
    expect((await rig.look(bound(open))).used).toBe(1);
    await settle('r', 1);
    expect((await rig.look(bound(open))).used).toBe(1);
    expect(await rig.engine.release(rig.tenant, answer.ticket ?? '')).toBe('released');
  });

  it('in one call see each other', async () => {
    const limit = bound(limitOf(rated.token_bucket), 3);
    const answers = await rig.askAll(
      { id: 'r', limits: [limit], peek: false, reserve: minute },
      { id: 's', limits: [limit], peek: false, reserve: minute },
    );
    expect(answers).toMatchObject([{ allowed: true }, { allowed: false, reservation: null }]);
  });
});
