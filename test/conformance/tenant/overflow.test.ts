import { describe, expect, it } from 'vitest';
import { bound, limitOf } from '../../support/limits.ts';
import { rated, ratedNames, slots } from '../algorithms.ts';
import { onEveryEngine, shown } from '../rig.ts';

const max = 3;
const options = {
  memory: { countersPerTenantMax: max },
  redis: { allowances: { countersPerHour: max, recordsPerHour: 1000 } },
};

onEveryEngine(
  'too many counters',
  (rig) => {
    const ask = (limit: ReturnType<typeof limitOf>, subject: string, cost = 1) =>
      rig.ask(bound(limit, cost, [subject]));

    describe.each(ratedNames)('%s', (name) => {
      const limit = limitOf(rated[name]);

      it('newcomers beyond the bound share one counter, and the answer says so', async () => {
        for (let at = 0; at < max; at += 1) {
          expect(await ask(limit, `early-${at}`)).toMatchObject({ allowed: true, degraded: null });
        }
        const remaining: number[] = [];
        for (let at = 0; at < 5; at += 1) {
          const answer = await ask(limit, `late-${at}`);
          expect(answer).toMatchObject({ allowed: true, degraded: 'overflow' });
          remaining.push(shown(answer, bound(limit)).remaining);
        }
        expect(remaining).toEqual([4, 3, 2, 1, 0]);
        expect((await ask(limit, 'late-again')).allowed).toBe(false);
      });

      it('those who came before keep counters of their own, whole', async () => {
        for (let at = 0; at < max; at += 1) await ask(limit, `early-${at}`, 2);
        for (let at = 0; at < 10; at += 1) await ask(limit, `flood-${at}`);
        const answer = await ask(limit, 'early-0', 3);
        expect(answer).toMatchObject({ allowed: true, degraded: null });
        expect((await ask(limit, 'early-0')).allowed).toBe(false);
      });
    });

    it('each limit has an overflow counter of its own', async () => {
      const a = limitOf({ ...rated.fixed_window, name: 'a' });
      const b = limitOf({ ...rated.fixed_window, name: 'b' });
      for (let at = 0; at < max; at += 1) await ask(a, `early-${at}`);
      expect((await ask(a, 'late', 5)).allowed).toBe(true);
      expect((await ask(b, 'late', 5)).allowed).toBe(true);
      expect((await ask(a, 'later')).allowed).toBe(false);
    });

    it('a limit of the whole tenant is exempt', async () => {
      const limit = limitOf({ ...rated.fixed_window, per: ['tenant'] });
      const other = limitOf({ ...rated.fixed_window, name: 'other' });
      for (let at = 0; at < max + 1; at += 1) await ask(other, `early-${at}`);
      const answer = await rig.ask(bound(limit, 1, []));
      expect(answer).toMatchObject({ allowed: true, degraded: null });
    });

    it('another tenant is not affected', async () => {
      const limit = limitOf(rated.fixed_window);
      for (let at = 0; at < 2 * max; at += 1) await ask(limit, `flood-${at}`);
      expect(await rig.elsewhere().ask(bound(limit, 1, ['first']))).toMatchObject({
        allowed: true,
        degraded: null,
      });
    });

    it('a slot taken in the shared counter is released by its ticket', async () => {
      const limit = limitOf({ ...slots, maxConcurrent: 1 });
      for (let at = 0; at < max; at += 1) await ask(limit, `early-${at}`);
      const first = await ask(limit, 'late-0');
      expect(first).toMatchObject({ allowed: true, degraded: 'overflow' });
      expect((await ask(limit, 'late-1')).allowed).toBe(false);
      const ticket = first.ticket ?? '';
      expect(await rig.engine.heartbeat(rig.tenant, { ticket, ttlMs: 1000 })).toMatchObject({
        kind: 'held',
      });
      expect(await rig.engine.release(rig.tenant, ticket)).toBe('released');
      expect((await ask(limit, 'late-1')).allowed).toBe(true);
    });

    it('a reservation in the shared counter is settled there', async () => {
      const limit = limitOf(rated.fixed_window);
      for (let at = 0; at < max; at += 1) await ask(limit, `early-${at}`);
      const reserve = { ttlMs: 1000, onExpiry: 'refund' } as const;
      const held = await rig.askWith({ id: 'held', reserve }, bound(limit, 5, ['late-0']));
      expect(held).toMatchObject({ allowed: true, degraded: 'overflow' });
      expect((await ask(limit, 'late-1')).allowed).toBe(false);
      const settlement = { reservationId: 'held', costs: { requests: 3 } };
      expect(await rig.engine.settle(rig.tenant, settlement)).toMatchObject({ kind: 'settled' });
      expect((await ask(limit, 'late-1', 2)).allowed).toBe(true);
      expect((await ask(limit, 'late-2')).allowed).toBe(false);
    });
  },
  options,
);
