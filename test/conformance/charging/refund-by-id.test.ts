import { describe, expect, it } from 'vitest';
import type { ChargeRefund, Question } from '../../../limiter/src/core/engine.ts';
import { bound, limitOf } from '../../support/limits.ts';
import { foreverMs, rated, ratedNames, slots } from '../algorithms.ts';
import { onEveryEngine } from '../rig.ts';

type Costs = NonNullable<ChargeRefund['costs']>;

const dayMs = 86_400_000;
const long = { window: '7 days', align: 'first_request' } as const;
const calls = limitOf({ ...rated.fixed_window, ...long, name: 'calls' });
const tokens = limitOf({
  ...rated.fixed_window,
  ...long,
  name: 'tokens',
  unit: 'tokens',
  limit: 100,
});

onEveryEngine('a refund by id', (rig) => {
  const charge = (id: string, ...limits: readonly ReturnType<typeof bound>[]) =>
    rig.askWith({ id, refundable: true }, ...limits);
  const refund = (id: string, costs: Costs | null = null) =>
    rig.engine.refundCharge(rig.tenant, { id, costs });
  const usedOf = async (limit = calls) => (await rig.look(bound(limit))).used;

  describe.each(ratedNames)('%s', (name) => {
    const limit = limitOf(rated[name]);

    it('gives back what was charged, and nothing of what others were', async () => {
      await rig.ask(bound(limit, 2));
      await charge('c', bound(limit, 3));
      expect(await refund('c')).toEqual({ kind: 'refunded', costs: { requests: 3 } });
      expect(await usedOf(limit)).toBe(2);
    });

    it('gives back nothing of what has come back with time', async () => {
      await charge('c', bound(limit, 5));
      rig.clock.advanceMs(foreverMs);
      await rig.ask(bound(limit, 5));
      await refund('c');
      expect(await usedOf(limit)).toBe(5);
    });
  });

  it('applies once, however often and in whatever part it is asked for', async () => {
    await rig.ask(bound(calls, 2));
    await charge('c', bound(calls, 3));
    expect(await refund('c', { requests: 1 })).toEqual({
      kind: 'refunded',
      costs: { requests: 1 },
    });
    for (const costs of [null, { requests: 1 }, { requests: 3 }]) {
      expect(await refund('c', costs)).toEqual({ kind: 'repeated' });
    }
    expect(await usedOf()).toBe(4);
  });

  it('applies once together with a refund by who knows the charge', async () => {
    const charged = await charge('c', bound(calls, 3));
    const known = { id: 'c', chargedAtUs: charged.nowUs, limits: [bound(calls, 3)] };
    expect(await rig.engine.refund(rig.tenant, known)).toBe(true);
    expect(await refund('c')).toEqual({ kind: 'repeated' });
    expect(await usedOf()).toBe(0);
  });

  it('never gives back more than was charged', async () => {
    await rig.ask(bound(calls, 2), bound(tokens, 50));
    await charge('c', bound(calls, 1), bound(tokens, 10));
    const costs = { requests: 1_000_000, tokens: 11 };
    expect(await refund('c', costs)).toEqual({
      kind: 'refunded',
      costs: { requests: 1, tokens: 10 },
    });
    expect([await usedOf(calls), await usedOf(tokens)]).toEqual([2, 50]);
  });

  it('gives back the units that are named, and no others', async () => {
    await charge('c', bound(calls, 2), bound(tokens, 40));
    expect(await refund('c', { tokens: 15 })).toEqual({ kind: 'refunded', costs: { tokens: 15 } });
    expect([await usedOf(calls), await usedOf(tokens)]).toEqual([2, 25]);
  });

  it('of nothing gives back nothing, and leaves the charge to be refunded', async () => {
    await charge('c', bound(calls, 2));
    for (const costs of [{}, { tokens: 5 }, { requests: 0 }]) {
      expect(await refund('c', costs)).toEqual({ kind: 'refunded', costs: {} });
    }
    expect(await usedOf()).toBe(2);
    expect(await refund('c')).toEqual({ kind: 'refunded', costs: { requests: 2 } });
  });

  it('is told from a unit that is called like what every object has', async () => {
    const odd = limitOf({ ...rated.fixed_window, name: 'odd', unit: 'constructor' });
    await charge('c', bound(odd, 2));
    expect(await refund('c', { requests: 1 })).toEqual({ kind: 'refunded', costs: {} });
    expect(await refund('c', { constructor: 1 })).toMatchObject({
      kind: 'refunded',
    });
    expect(await usedOf(odd)).toBe(1);
  });

  it('of limits in one unit gives each back what it was charged', async () => {
    const other = limitOf({ ...rated.fixed_window, ...long, name: 'other' });
    await charge('c', bound(calls, 2), bound(other, 4));
    expect(await refund('c', { requests: 3 })).toEqual({
      kind: 'refunded',
      costs: { requests: 3 },
    });
    expect([await usedOf(calls), await usedOf(other)]).toEqual([0, 1]);
  });

  it.each(['shadow', 'warn'] as const)(
    'gives nothing back to a limit in %s that would have refused, for it was not charged',
    async (mode) => {
      const watching = limitOf({ ...rated.fixed_window, ...long, name: 'watching', mode });
      await rig.ask(bound(watching, 4));
      expect((await charge('c', bound(calls, 3), bound(watching, 3))).allowed).toBe(true);
      expect(await refund('c')).toEqual({ kind: 'refunded', costs: { requests: 3 } });
      expect([await usedOf(calls), await usedOf(watching)]).toEqual([0, 4]);
    },
  );

  it('gives back what a limit in shadow was charged, and no slot', async () => {
    const watching = limitOf({ ...rated.fixed_window, ...long, name: 'watching', mode: 'shadow' });
    const open = limitOf(slots);
    await charge('c', bound(watching, 3), bound(open));
    expect(await refund('c')).toEqual({ kind: 'refunded', costs: { requests: 3 } });
    expect([await usedOf(watching), await usedOf(open)]).toEqual([0, 1]);
  });

  it('finds the charge by the id that a repeated call is told', async () => {
    const idempotency = { scope: 's', key: 'the-key', fingerprint: 'f', ttlMs: dayMs };
    const more = { refundable: true, idempotency };
    await rig.askWith({ ...more, id: 'first' }, bound(calls, 3));
    const again = await rig.askWith({ ...more, id: 'second' }, bound(calls, 3));
    expect(await refund('second')).toEqual({ kind: 'unknown' });
    expect(await refund(again.id)).toEqual({ kind: 'refunded', costs: { requests: 3 } });
    expect(await usedOf()).toBe(0);
  });

  it.each([
    { what: 'nobody charged', more: null },
    { what: 'was not asked to be refundable', more: {} },
    {
      what: 'is a reservation',
      more: { refundable: true, reserve: { ttlMs: 60_000, onExpiry: 'keep' } },
    },
    { what: 'was refused', more: { refundable: true }, cost: 6 },
  ] as const)('of what $what is unknown', async ({ more, cost }: Unrefundable) => {
    if (more) await rig.askWith({ ...more, id: 'c' }, bound(calls, cost ?? 2));
    const used = await usedOf();
    expect(await refund('c')).toEqual({ kind: 'unknown' });
    expect(await usedOf()).toBe(used);
  });

  it('of another tenant’s charge is unknown', async () => {
    await charge('c', bound(calls, 2));
    const { tenant } = rig.elsewhere();
    expect(await rig.engine.refundCharge(tenant, { id: 'c', costs: null })).toEqual({
      kind: 'unknown',
    });
    expect(await usedOf()).toBe(2);
    expect(await refund('c')).toMatchObject({ kind: 'refunded' });
  });

  it('of a counter that is gone leaves it as new', async () => {
    await charge('c', bound(calls, 2));
    await rig.engine.reset(rig.tenant, [bound(calls)]);
    expect(await refund('c')).toMatchObject({ kind: 'refunded' });
    expect(await rig.look(bound(calls))).toMatchObject({ used: 0, remaining: 5 });
  });
});

type Unrefundable = {
  readonly more: Partial<Question> | null;
  readonly cost?: number;
};

const capped = {
  memory: { recordsPerTenantMax: 2 },
  redis: { allowances: { countersPerHour: 1000, recordsPerHour: 2 } },
};

onEveryEngine(
  'too many charges to be kept',
  (rig) => {
    const charge = (id: string, to = rig) => to.askWith({ id, refundable: true }, bound(calls));
    const refund = (id: string, to = rig) => to.engine.refundCharge(to.tenant, { id, costs: null });

    it('are charged all the same, and are unknown to a refund', async () => {
      for (const id of ['a', 'b', 'c']) expect((await charge(id)).allowed).toBe(true);
      expect(await refund('c')).toEqual({ kind: 'unknown' });
      expect(await refund('a')).toMatchObject({ kind: 'refunded' });
      expect((await rig.look(bound(calls))).used).toBe(2);
    });

    it('of one tenant leave room to another', async () => {
      for (const id of ['a', 'b', 'c']) await charge(id);
      const other = rig.elsewhere();
      await charge('c', other);
      expect(await refund('c', other)).toMatchObject({ kind: 'refunded' });
    });
  },
  capped,
);
