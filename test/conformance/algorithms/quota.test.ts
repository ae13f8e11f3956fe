import { describe, expect, it } from 'vitest';
import { periodAt } from '../../../limiter/src/core/calendar/index.ts';
import type { QuotaOptions } from '../../../limiter/src/core/limit-input.ts';
import { bound, limitOf } from '../../support/limits.ts';
import { onEveryEngine } from '../rig.ts';

const quotaOf = (more: Partial<QuotaOptions> = {}) =>
  limitOf({ algorithm: 'quota', limit: 5, period: 'month', ...more });

const us = (text: string) => Date.parse(text) * 1000;

function periodOf(limit: ReturnType<typeof limitOf>, atUs: number) {
  if (limit.numbers.algorithm !== 'quota') throw new Error('not a quota');
  return periodAt(limit.numbers.calendar, atUs);
}

onEveryEngine('quota', (rig) => {
  it.each([
    ['hour', {}, '2026-01-15T12:00:00Z', '2026-01-15T13:00:00Z'],
    ['day', {}, '2026-01-15T12:00:00Z', '2026-01-16T00:00:00Z'],
    ['week', {}, '2026-01-15T12:00:00Z', '2026-01-19T00:00:00Z'],
    ['month', {}, '2026-01-15T12:00:00Z', '2026-02-01T00:00:00Z'],
    ['month', { anchor: 31 }, '2026-02-10T00:00:00Z', '2026-02-28T00:00:00Z'],
    ['month', { anchor: 15 }, '2026-01-15T00:00:00Z', '2026-02-15T00:00:00Z'],
    ['year', {}, '2026-01-15T12:00:00Z', '2027-01-01T00:00:00Z'],
    ['day', { timezone: 'America/New_York' }, '2026-03-08T06:00:00Z', '2026-03-09T04:00:00Z'],
    ['day', { timezone: 'Europe/Berlin' }, '2026-10-25T10:00:00Z', '2026-10-25T23:00:00Z'],
  ] as const)('a %s with %o of %s lasts until %s, to the microsecond', async (...row) => {
    const [period, options, at, end] = row;
    const limit = quotaOf({ period, ...options });
    rig.clock.nowUs = us(at);
    await rig.ask(bound(limit, 5));
    expect((await rig.look(bound(limit))).resetAtUs).toBe(us(end));
    rig.clock.nowUs = us(end) - 1;
    expect((await rig.ask(bound(limit))).allowed).toBe(false);
    rig.clock.nowUs = us(end);
    expect((await rig.ask(bound(limit, 5))).allowed).toBe(true);
  });

  it('a daily and a monthly quota of one name are two counters', async () => {
    await rig.ask(bound(quotaOf({ period: 'day' }), 5));
    expect((await rig.ask(bound(quotaOf({ period: 'month' }), 5))).allowed).toBe(true);
  });

  describe('numbers that change', () => {
    it('keep what was used', async () => {
      await rig.ask(bound(quotaOf(), 4));
      expect((await rig.ask(bound(quotaOf({ limit: 6 }), 3))).allowed).toBe(false);
      expect((await rig.ask(bound(quotaOf({ limit: 6 }), 2))).allowed).toBe(true);
      expect(await rig.look(bound(quotaOf({ limit: 3 })))).toMatchObject({ used: 6, remaining: 0 });
    });

    it.each([[{ anchor: 16 }], [{ anchor: 20 }], [{ timezone: 'Pacific/Auckland' }]])(
      'let the running period end as announced when it becomes %o',
      async (change) => {
        const before = quotaOf();
        await rig.ask(bound(before, 5));
        const announcedUs = (await rig.look(bound(before))).resetAtUs;
        const after = quotaOf(change);
        rig.clock.nowUs = announcedUs - 1;
        expect((await rig.look(bound(after))).resetAtUs).toBe(announcedUs);
        expect((await rig.ask(bound(after))).allowed).toBe(false);
        rig.clock.nowUs = announcedUs;
        expect((await rig.ask(bound(after, 5))).allowed).toBe(true);
        const { endUs } = periodOf(after, announcedUs);
        expect((await rig.look(bound(after))).resetAtUs).toBe(endUs);
      },
    );
  });

  describe('seeding after a loss', () => {
    const limit = quotaOf();
    const seed = (used: number, atUs: number) => ({
      counter: rig.engine.counterName(bound(limit)),
      period: periodOf(limit, atUs),
      used,
    });

    it('raises a quota to what is known to be used', async () => {
      await rig.engine.seed(rig.tenant, [seed(3, rig.clock.nowUs)]);
      expect(await rig.look(bound(limit))).toMatchObject({ used: 3, remaining: 2 });
      expect((await rig.ask(bound(limit, 3))).allowed).toBe(false);
      expect((await rig.ask(bound(limit, 2))).allowed).toBe(true);
    });

    it('never lowers one that has counted on', async () => {
      await rig.ask(bound(limit, 4));
      await rig.engine.seed(rig.tenant, [seed(3, rig.clock.nowUs)]);
      expect((await rig.look(bound(limit))).used).toBe(4);
      await rig.engine.seed(rig.tenant, [seed(5, rig.clock.nowUs)]);
      expect((await rig.look(bound(limit))).used).toBe(5);
    });

    it('does not charge this period with what was used of another', async () => {
      await rig.engine.seed(rig.tenant, [seed(5, us('2025-12-31T23:59:59Z'))]);
      await rig.engine.seed(rig.tenant, [seed(5, us('2026-02-01T00:00:00Z'))]);
      expect(await rig.look(bound(limit))).toMatchObject({ used: 0, remaining: 5 });
      rig.clock.nowUs = us('2026-02-01T00:00:00Z');
      expect(await rig.look(bound(limit))).toMatchObject({ used: 0, remaining: 5 });
    });

    it('begins a new period over one that is over, and ends it as announced', async () => {
      await rig.ask(bound(limit, 5));
      rig.clock.nowUs = us('2026-02-03T00:00:00Z');
      await rig.engine.seed(rig.tenant, [seed(2, rig.clock.nowUs)]);
      const { startUs, endUs } = periodOf(limit, rig.clock.nowUs);
      const [reading] = await rig.readings(bound(limit));
      expect(reading?.state).toEqual({ startUs, endUs, used: 2 });
      rig.clock.nowUs = endUs - 1;
      expect((await rig.ask(bound(limit, 4))).allowed).toBe(false);
      rig.clock.nowUs = endUs;
      expect((await rig.ask(bound(limit, 5))).allowed).toBe(true);
    });

    it('leaves another period alone that has not ended', async () => {
      await rig.ask(bound(limit, 1));
      const moved = periodOf(quotaOf({ anchor: 10 }), rig.clock.nowUs);
      const counter = rig.engine.counterName(bound(limit));
      await rig.engine.seed(rig.tenant, [{ counter, period: moved, used: 5 }]);
      expect(await rig.look(bound(limit))).toMatchObject({
        used: 1,
        resetAtUs: us('2026-02-01T00:00:00Z'),
      });
    });

    it('keeps what reservations hold', async () => {
      const reserve = { ttlMs: 60_000, onExpiry: 'refund' } as const;
      await rig.askWith({ reserve }, bound(limit, 1));
      await rig.engine.seed(rig.tenant, [seed(3, rig.clock.nowUs)]);
      expect((await rig.ask(bound(limit, 2))).allowed).toBe(false);
      expect((await rig.ask(bound(limit, 1))).allowed).toBe(true);
    });

    it('is one identity’s, one limit’s and one tenant’s alone', async () => {
      await rig.engine.seed(rig.tenant, [seed(5, rig.clock.nowUs)]);
      expect((await rig.ask(bound(limit, 5, ['another']))).allowed).toBe(true);
      expect((await rig.ask(bound(quotaOf({ period: 'day' }), 5))).allowed).toBe(true);
      expect((await rig.elsewhere().ask(bound(limit, 5))).allowed).toBe(true);
      const later = rig.elsewhere({ id: rig.tenant.id, generation: 1 });
      expect((await later.ask(bound(limit, 5))).allowed).toBe(true);
      expect((await rig.ask(bound(limit))).allowed).toBe(false);
    });

    it('of a global quota is for all tenants', async () => {
      const global = quotaOf({ name: 'everyone', per: ['global'] });
      const everyone = bound(global, 1, []);
      const counter = rig.engine.counterName(everyone);
      const period = periodOf(global, rig.clock.nowUs);
      await rig.engine.seed(rig.tenant, [
        { counter, global: true, period, used: 3 },
        seed(1, rig.clock.nowUs),
      ]);
      const other = rig.elsewhere();
      expect((await other.look(everyone)).used).toBe(3);
      expect((await other.ask({ ...everyone, cost: 3 })).allowed).toBe(false);
      expect((await rig.look(bound(limit))).used).toBe(1);
    });

    it('is forgotten with the counter', async () => {
      await rig.engine.seed(rig.tenant, [seed(5, rig.clock.nowUs)]);
      await rig.engine.reset(rig.tenant, [bound(limit)]);
      expect((await rig.ask(bound(limit, 5))).allowed).toBe(true);
    });

    it('takes the highest of several', async () => {
      for (const used of [2, 4, 3]) {
        await rig.engine.seed(rig.tenant, [seed(used, rig.clock.nowUs)]);
      }
      expect((await rig.look(bound(limit))).used).toBe(4);
    });

    it('knows counters by names that tell nothing, the same for the same counter', () => {
      const { engine } = rig;
      const name = engine.counterName(bound(limit, 1, ['alice@example.com']));
      expect(name).toMatch(/^[\w-]{33}$/);
      expect(engine.counterName(bound(quotaOf(), 7, ['alice@example.com']))).toBe(name);
      expect(engine.counterName(bound(limit, 1, ['bob@example.com']))).not.toBe(name);
      expect(engine.counterName(bound(limit, 1, []))).toMatch(/^[\w-]{11}$/);
    });

    it('refuses a name that no engine gave', async () => {
      for (const counter of ['', 'e', 'u', 'not a name', `${'a'.repeat(33)}:`]) {
        const one = { ...seed(1, rig.clock.nowUs), counter };
        await expect(rig.engine.seed(rig.tenant, [one])).rejects.toThrow('counter');
      }
    });

    it('seeds several at once and none at all', async () => {
      const other = quotaOf({ name: 'other', period: 'day' });
      const period = periodOf(other, rig.clock.nowUs);
      await rig.engine.seed(rig.tenant, [
        seed(1, rig.clock.nowUs),
        { counter: rig.engine.counterName(bound(other)), period, used: 2 },
      ]);
      await rig.engine.seed(rig.tenant, []);
      expect((await rig.look(bound(limit))).used).toBe(1);
      expect((await rig.look(bound(other))).used).toBe(2);
    });
  });
});
