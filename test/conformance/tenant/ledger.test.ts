import { expect, it } from 'vitest';
import type { LedgerCount } from '../../../limiter/src/core/engine.ts';
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
  const take = async (batch: string) => sorted(await rig.engine.takeLedger(rig.tenant, batch));
  const drop = (batch: string) => rig.engine.dropLedger(rig.tenant, batch);
  const minute = () => Math.floor(rig.clock.nowUs / 60_000_000);

  it('counts exactly, by minute, outcome and label', async () => {
    const first = minute();
    await call('orders', limit);
    await call('orders', limit);
    await call('users', limit, shadow);
    await call('users', limit, shadow);
    rig.clock.advanceMs(60_000);
    await call('orders', limit);
    expect(await take('batch')).toEqual(
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
    expect((await take('batch')).map(({ count }) => count)).toEqual([1]);
  });

  it('counts every question of one call', async () => {
    await rig.askAll(
      ...Array.from({ length: 4 }, () => question([limit], { ledgerLabel: 'orders' })),
    );
    expect((await take('batch')).map(({ count }) => count)).toEqual([4]);
  });

  it('adds what was counted elsewhere', async () => {
    const blocked: LedgerCount = {
      minute: minute(),
      outcome: 'blocked',
      label: 'orders: all, of them',
      count: 41,
    };
    await rig.engine.record(rig.tenant, [blocked, { ...blocked, count: 1 }]);
    await rig.engine.record(rig.tenant, []);
    expect(await take('batch')).toEqual([{ ...blocked, count: 42 }]);
  });

  it('is taken again as the same batch until it is dropped', async () => {
    await call('orders', limit);
    const first = await take('batch');
    await call('orders', limit);
    expect(await take('batch')).toEqual(first);
    await drop('batch');
    expect((await take('batch')).map(({ count }) => count)).toEqual([1]);
  });

  it('loses and doubles nothing between batches', async () => {
    const roomy = bound(limitOf({ ...rated.fixed_window, name: 'roomy', limit: 1000 }));
    let total = 0;
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(Array.from({ length: round }, () => call('orders', roomy)));
      for (const { count } of await take(`batch-${round}`)) total += count;
      await drop(`batch-${round}`);
    }
    expect(total).toBe(45);
    expect(await take('last')).toEqual([]);
  });

  it('of nothing is an empty batch, which does not stand in the way of the next', async () => {
    expect(await take('batch')).toEqual([]);
    await call('orders', limit);
    expect(await take('batch')).toHaveLength(1);
  });

  it('keeps labels as they are, whatever is in them', async () => {
    for (const label of ['', ' ', 'a:b|c', 'ö 名 \n', '1:w:x']) await call(label, limit);
    const labels = (await take('batch')).map(({ label }) => label);
    expect(labels.toSorted()).toEqual(['', ' ', 'a:b|c', 'ö 名 \n', '1:w:x'].toSorted());
  });

  it('is one tenant’s alone', async () => {
    await call('orders', limit);
    expect(await rig.engine.takeLedger(rig.elsewhere().tenant, 'batch')).toEqual([]);
  });
});
