import type { WindowState } from '../../core/algorithms/window.ts';
import {
  ownCost,
  type QuotaSeed,
  type Settled,
  type Settlement,
  type SettleResult,
} from '../../core/engine.ts';
import type { Reservation } from './books.ts';
import { store, weigh } from './decide.ts';
import type { Desk } from './desk.ts';
import { windowStartOf } from './holds.ts';
import { inForce } from './in-force.ts';

/**
 * Charges what was really used: what was held is freed, more is debt, and late is charged too. Told
 * again, it says what it did. The twin of `settle.lua`.
 */
export function settle(desk: Desk, { reservationId, costs }: Settlement): SettleResult {
  const reservation = desk.books().reservations.get(reservationId, desk.nowUs);
  if (!reservation) return { kind: 'unknown' };
  const { settled } = reservation;
  const held = reservation.holds.map((hold) => {
    const { limit, cost } = hold.bound;
    const real = ownCost(settled?.costs ?? costs, limit.unit) ?? cost;
    return settleHold(desk, reservation, { ...hold, id: reservationId, real });
  });
  const late = settled?.late ?? held.some((one) => one.late);
  const byUnit: Record<string, number> = Object.create(null);
  for (const { unit, real } of held) byUnit[unit] = real;
  reservation.settled = { costs: byUnit, late };
  return {
    kind: settled ? 'repeated' : 'settled',
    late,
    debt: Math.max(0, ...held.map(({ debt }) => debt)),
    costs: byUnit,
    quotas: held.flatMap(({ quota }) => quota ?? []),
  } satisfies Settled;
}

type Settling = Reservation['holds'][number] & { readonly id: string; readonly real: number };

function settleHold(desk: Desk, reservation: Reservation, settling: Settling) {
  const { id, real, bound: reserved, windowStartUs } = settling;
  const { cells, tenant, nowUs } = desk;
  const found = cells.find(tenant, reserved);
  const bound = found === undefined ? reserved : inForce(desk, reserved, found);
  const { algorithm, numbers, size, unit } = bound.limit;
  const { cell, state: before } = weigh(desk, bound, true);
  const first = reservation.settled === null;
  const late = first && (cell === undefined || !cells.extrasOf(cell)?.holds?.open.delete(id));
  const nothing = { unit, real, late, debt: 0, quota: undefined };
  if (windowStartOf(numbers, before) !== windowStartUs) return nothing;
  let state = before;
  if (first) {
    const charged = late && reservation.keep ? reserved.cost : 0;
    const chargedAtUs = reservation.expiresAtUs;
    state =
      real >= charged
        ? algorithm.charge(numbers, before, real - charged, nowUs)
        : algorithm.refund(numbers, before, { amount: charged - real, chargedAtUs, nowUs });
    store(desk, bound, cell ?? cells.make(tenant, bound), state);
  }
  const { used } = algorithm.show(numbers, algorithm.read(numbers, state, 0, nowUs), 0, nowUs);
  const quota = numbers.algorithm === 'quota' ? quotaOf(desk, settling, state) : undefined;
  return { ...nothing, debt: Math.max(0, used - size), quota };
}

function quotaOf({ names }: Desk, { bound }: Settling, state: object): QuotaSeed {
  const { startUs, endUs, used } = state as WindowState;
  const { global } = bound.limit;
  return { counter: names.of(bound), global, period: { startUs, endUs }, used };
}
