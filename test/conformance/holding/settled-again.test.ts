import { describe, expect, it } from 'vitest';
import type { BoundLimit, Reserve } from '../../../limiter/src/core/engine.ts';
import { bound, limitOf } from '../../support/limits.ts';
import { rated, ratedNames } from '../algorithms.ts';
import { onEveryEngine } from '../rig.ts';

const second: Reserve = { ttlMs: 1000, onExpiry: 'refund' };

onEveryEngine('a settlement', (rig) => {
  const reserve = (limits: readonly BoundLimit[], more: Partial<Reserve> = {}) =>
    rig.askWith({ id: 'r', reserve: { ...second, ...more } }, ...limits);
  const settle = (costs: Record<string, number>) =>
    rig.engine.settle(rig.tenant, { reservationId: 'r', costs });

  describe.each(ratedNames)('%s', (name) => {
    const limit = bound(limitOf(rated[name]), 3);

    it.each(['refund', 'keep'] as const)(
      'that is repeated says what the first did, and does nothing (%s)',
      async (onExpiry) => {
        for (const late of [false, true]) {
          rig.clock.advanceMs(7_200_000);
          const ttlMs = late ? 1 : 1000;
          await rig.askWith({ id: `r-${late}`, reserve: { ttlMs, onExpiry } }, limit);
          if (late) rig.clock.advanceMs(1);
          const told = (requests: number) =>
            rig.engine.settle(rig.tenant, { reservationId: `r-${late}`, costs: { requests } });
          const first = await told(2);
          expect(first).toMatchObject({ kind: 'settled', late, costs: { requests: 2 } });
          for (const other of [2, 0, 5]) {
            expect(await told(other)).toEqual({ ...first, kind: 'repeated' });
          }
          expect((await rig.look(limit)).used).toBe(2);
        }
      },
    );

    it('that is repeated after the reservation would have run out does not become late', async () => {
      await reserve([limit]);
      await settle({ requests: 2 });
      rig.clock.advanceMs(1000);
      expect(await settle({ requests: 2 })).toMatchObject({ kind: 'repeated', late: false });
    });
  });

  const calls = bound(limitOf({ ...rated.quota, name: 'calls' }), 1);
  const tokens = bound(limitOf({ ...rated.quota, name: 'tokens', unit: 'tokens', limit: 100 }), 50);
  const burst = bound(limitOf({ ...rated.token_bucket, name: 'burst' }), 1);

  it('says what it was settled at for every unit, also one that was not named', async () => {
    await reserve([calls, tokens, burst]);
    const first = await settle({ tokens: 70, other: 9 });
    expect(first).toMatchObject({ kind: 'settled', costs: { requests: 1, tokens: 70 } });
    expect(await settle({ requests: 5 })).toMatchObject({
      kind: 'repeated',
      costs: { requests: 1, tokens: 70 },
    });
    expect((await rig.look(tokens)).used).toBe(70);
  });

  it('takes no unit for named that is called like what every object has', async () => {
    const odd = bound(limitOf({ ...rated.fixed_window, unit: 'constructor' }), 3);
    await reserve([odd]);
    const settled = await settle({});
    expect(settled.kind === 'settled' && Object.entries(settled.costs)).toEqual([
      ['constructor', 3],
    ]);
    expect((await rig.look(odd)).used).toBe(3);
  });

  it('says what is now used of the quotas among its limits, and of nothing else', async () => {
    const hourUs = 3_600_000_000;
    const startUs = rig.clock.nowUs - (rig.clock.nowUs % hourUs);
    const period = { startUs, endUs: startUs + hourUs };
    await rig.ask(tokens);
    await reserve([calls, burst, { ...tokens, cost: 20 }]);
    const seeds = (used: readonly [number, number]) =>
      [calls, tokens].map((of, at) => ({
        counter: rig.engine.counterName(of),
        global: false,
        period,
        used: used[at],
      }));
    expect(await settle({ tokens: 65 })).toMatchObject({ debt: 15, quotas: seeds([1, 115]) });
    const { id, nowUs } = await rig.ask(calls);
    expect(await settle({})).toMatchObject({ kind: 'repeated', quotas: seeds([2, 115]) });
    await rig.engine.refund(rig.tenant, { id, chargedAtUs: nowUs, limits: [calls] });
    expect(await settle({})).toMatchObject({ kind: 'repeated', quotas: seeds([1, 115]) });
  });

  it('says nothing of a quota whose period is over: it charged nothing there', async () => {
    await reserve([calls], { ttlMs: 7_200_000 });
    rig.clock.advanceMs(3_600_000);
    expect(await settle({ requests: 1 })).toMatchObject({ kind: 'settled', quotas: [], debt: 0 });
  });

  it('counts what a heartbeat without a time held on to as in time', async () => {
    await reserve([calls]);
    rig.clock.advanceMs(700);
    const beat = await rig.engine.heartbeat(rig.tenant, { reservationId: 'r' });
    expect(beat).toEqual({ kind: 'held', untilUs: rig.clock.nowUs + 1_000_000 });
    rig.clock.advanceUs(1_000_000 - 1);
    expect(await settle({ requests: 1 })).toMatchObject({ kind: 'settled', late: false });
  });

  it('is late once what a heartbeat without a time held on to ran out', async () => {
    await reserve([calls]);
    rig.clock.advanceMs(700);
    await rig.engine.heartbeat(rig.tenant, { reservationId: 'r' });
    rig.clock.advanceMs(1000);
    expect(await rig.engine.heartbeat(rig.tenant, { reservationId: 'r' })).toEqual({
      kind: 'gone',
    });
    expect(await settle({ requests: 1 })).toMatchObject({ kind: 'settled', late: true });
    expect((await rig.look(calls)).used).toBe(1);
  });
});
