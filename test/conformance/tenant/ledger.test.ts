import { expect, it } from 'vitest';
import { type LedgerCount, ledgerOutcomes } from '../../../limiter/src/core/engine.ts';
import { bound, limitOf, question } from '../../support/limits.ts';
import { rated } from '../algorithms.ts';
import { onEveryEngine } from '../rig.ts';

function sorted(counts: readonly LedgerCount[]): LedgerCount[] {
  const name = ({ minute, outcome, label }: LedgerCount) => `${minute} ${outcome} ${label}`;
  return counts.toSorted((a, b) => (name(a) < name(b) ? -1 : 1));
}

onEveryEngine('the ledger', (rig) => {
  const limit = bound(limitOf({ ...rated.fixed_window, name: 'enforced' }));
  const shadow = bound(limitOf({ ...rated.fixed_window, name: 'seen', limit: 1, mode: 'shadow' }));
  const call = (label: string, ...limits: readonly (typeof limit)[]) =>
    rig.askWith({ ledgerLabel: label }, ...limits);
  const take = async (batch: number) => {
    const taken = await rig.engine.takeLedger(rig.tenant, batch);
    if (taken.kind !== 'taken') throw new Error(`dropped up to ${taken.last}`);
    return sorted(taken.counts);
  };
  const drop = (batch: number) => rig.engine.dropLedger(rig.tenant, batch);
  const refusals: LedgerCount = { minute: 7, outcome: 'blocked', label: 'orders', count: 41 };
  const record = (number: number, counts = [refusals], writer = 'node') =>
    rig.engine.record(rig.tenant, { writer, number, counts });
  const total = async (batch: number) =>
    (await take(batch)).reduce((sum, { count }) => sum + count, 0);
  const minute = () => Math.floor(rig.clock.nowUs / 60_000_000);

  it('counts exactly, by minute, outcome and label', async () => {
    const first = minute();
    await call('orders', limit);
    await call('orders', limit);
    await call('users', limit, shadow);
    await call('users', limit, shadow);
    rig.clock.advanceMs(60_000);
    await call('orders', limit);
    expect(await take(1)).toEqual(
      sorted([
        { minute: first, outcome: 'allowed', label: 'orders', count: 2 },
        { minute: first, outcome: 'allowed', label: 'users', count: 1 },
        { minute: first, outcome: 'warned', label: 'users', count: 1 },
        { minute: first + 1, outcome: 'allowed', label: 'orders', count: 1 },
      ]),
    );
  });

  it('counts no refusal, no peek, no repetition and nothing without a label', async () => {
    const idempotency = { scope: 's', key: 'k', fingerprint: 'f', ttlMs: 60_000 };
    const more = { ledgerLabel: 'orders', idempotency };
    await rig.askWith(more, { ...limit, cost: 5 });
    expect((await rig.askWith(more, { ...limit, cost: 5 })).replayed).toBe(true);
    expect((await call('orders', limit)).allowed).toBe(false);
    await call('orders', { ...limit, cost: 0 });
    rig.clock.advanceMs(10_000);
    await rig.ask(limit);
    expect((await take(1)).map(({ count }) => count)).toEqual([1]);
  });

  it('counts every question of one call', async () => {
    await rig.askAll(
      ...Array.from({ length: 4 }, () => question([limit], { ledgerLabel: 'orders' })),
    );
    expect((await take(1)).map(({ count }) => count)).toEqual([4]);
  });

  it('adds what was counted elsewhere', async () => {
    const blocked: LedgerCount = {
      minute: minute(),
      outcome: 'blocked',
      label: 'orders: all, of them',
      count: 41,
    };
    await record(1, [blocked, { ...blocked, count: 1 }]);
    await record(2, []);
    expect(await take(1)).toEqual([{ ...blocked, count: 42 }]);
  });

  it('keeps every outcome apart', async () => {
    const counts = ledgerOutcomes.map((outcome, at) => ({ ...refusals, outcome, count: at + 1 }));
    await record(1, counts);
    expect(await take(1)).toEqual(sorted(counts));
  });

  it('adds each record of a writer once, however often and late it comes', async () => {
    await record(3);
    await record(3);
    await record(5);
    await record(3);
    await record(4);
    await record(5);
    expect(await total(1)).toBe(2 * 41);
    await drop(1);
    await record(5);
    expect(await take(2)).toEqual([]);
    await record(6);
    await record(5, [refusals], 'another node');
    expect(await total(2)).toBe(2 * 41);
  });

  it('forgets no writer before what it wrote would be forgotten', async () => {
    await record(1);
    rig.clock.advanceMs(3 * 86_400_000 - 1000);
    await record(1);
    expect(await total(1)).toBe(41);
  });

  it('is taken again as the same batch until it is dropped', async () => {
    await call('orders', limit);
    const first = await take(1);
    await call('orders', limit);
    expect(await take(1)).toEqual(first);
    await drop(1);
    expect((await take(2)).map(({ count }) => count)).toEqual([1]);
  });

  it('is not set aside under a number that was used, for who comes late', async () => {
    await record(1);
    expect(await total(4)).toBe(41);
    await drop(4);
    await record(2);
    for (const late of [4, 3, 1]) {
      expect(await rig.engine.takeLedger(rig.tenant, late)).toEqual({ kind: 'dropped', last: 4 });
    }
    await drop(2);
    expect(await total(5)).toBe(41);
  });

  it('has no batch any more that who asks for the next is done with', async () => {
    await record(1);
    await take(1);
    await record(2);
    expect(await total(2)).toBe(41);
    expect(await rig.engine.takeLedger(rig.tenant, 1)).toEqual({ kind: 'dropped', last: 1 });
  });

  it('says whether there is anything to move', async () => {
    const has = (batch: number) => rig.engine.hasLedger(rig.tenant, batch);
    expect(await has(1)).toBe(false);
    await record(1);
    expect([await has(1), await has(2)]).toEqual([true, true]);
    await take(1);
    expect([await has(1), await has(2)]).toEqual([true, false]);
    await drop(1);
    expect([await has(1), await has(2)]).toEqual([false, false]);
  });

  it('loses and doubles nothing between batches', async () => {
    const roomy = bound(limitOf({ ...rated.fixed_window, name: 'roomy', limit: 1000 }));
    let sum = 0;
    for (let round = 1; round <= 10; round += 1) {
      await Promise.all(Array.from({ length: round }, () => call('orders', roomy)));
      sum += await total(round);
      await drop(round);
    }
    expect(sum).toBe(55);
    expect(await take(11)).toEqual([]);
  });

  it('of nothing is an empty batch, which does not stand in the way of the next', async () => {
    expect(await take(1)).toEqual([]);
    await call('orders', limit);
    expect(await take(1)).toHaveLength(1);
  });

  it('keeps labels as they are, whatever is in them', async () => {
    for (const label of ['', ' ', 'a:b|c', 'ö 名 \n', '1:w:x']) await call(label, limit);
    const labels = (await take(1)).map(({ label }) => label);
    expect(labels.toSorted()).toEqual(['', ' ', 'a:b|c', 'ö 名 \n', '1:w:x'].toSorted());
  });

  it('is one tenant’s alone', async () => {
    await call('orders', limit);
    const { tenant } = rig.elsewhere();
    expect(await rig.engine.hasLedger(tenant, 1)).toBe(false);
    expect(await rig.engine.takeLedger(tenant, 1)).toEqual({ kind: 'taken', counts: [] });
  });
});
