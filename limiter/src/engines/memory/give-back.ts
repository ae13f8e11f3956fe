import { freeSlot, renewSlot, type ConcurrencyState } from '../../core/algorithms/concurrency.ts';
import {
  ownCost,
  type BoundLimit,
  type RefundCall,
  type Settlement,
  type SettleResult,
} from '../../core/engine.ts';
import { StoreFailure } from '../../core/errors.ts';
import type { Limit } from '../../core/limit.ts';
import { refundableMs } from '../../core/refundable.ts';
import type { Reservation } from './books.ts';
import { store, weigh } from './decide.ts';
import type { Desk } from './desk.ts';
import { addHold, holdsCountUntilUs, holdsOf, windowStartOf } from './holds.ts';

const dayUs = 86_400_000_000;
const minuteUs = 60_000_000;

/** Charges what was really used: what was held is freed, more is debt, and late is charged too. */
export function settle(desk: Desk, { reservationId, costs }: Settlement): SettleResult {
  const reservation = desk.books().reservations.get(reservationId, desk.nowUs);
  if (!reservation) return { kind: 'unknown' };
  if (reservation.settled) return { kind: 'repeated' };
  reservation.settled = true;
  let late = false;
  let debt = 0;
  for (const hold of reservation.holds) {
    const settled = settleHold(desk, reservation, hold, {
      id: reservationId,
      cost: ownCost(costs, hold.bound.limit.unit) ?? hold.bound.cost,
    });
    late ||= settled.late;
    debt = Math.max(debt, settled.debt);
  }
  return { kind: 'settled', late, debt };
}

function settleHold(
  desk: Desk,
  reservation: Reservation,
  { bound, windowStartUs }: Reservation['holds'][number],
  { id, cost }: { readonly id: string; readonly cost: number },
): { late: boolean; debt: number } {
  const { cells, tenant, nowUs } = desk;
  const { algorithm, numbers, size } = bound.limit;
  const { cell, state: before } = weigh(desk, bound, true);
  const late = cell === undefined || !cells.extrasOf(cell)?.holds?.open.delete(id);
  if (windowStartOf(numbers, before) !== windowStartUs) return { late, debt: 0 };
  const charged = late && reservation.keep ? bound.cost : 0;
  const chargedAtUs = reservation.expiresAtUs;
  const state =
    cost >= charged
      ? algorithm.charge(numbers, before, cost - charged, nowUs)
      : algorithm.refund(numbers, before, { amount: charged - cost, chargedAtUs, nowUs });
  store(desk, bound, cell ?? cells.make(tenant, bound), state);
  const reading = algorithm.read(numbers, state, 0, nowUs);
  const { used } = algorithm.show(numbers, reading, 0, nowUs);
  return { late, debt: Math.max(0, used - size) };
}

export function refund(desk: Desk, { id, limits, chargedAtUs }: RefundCall): boolean {
  const { nowUs } = desk;
  const { refunds } = desk.books();
  if (refunds.get(id, nowUs)) return false;
  // One that could not be remembered could be given back again.
  if (!refunds.hasRoom(nowUs)) throw new StoreFailure('too many refunds');
  refunds.set(id, true, { expiresAtUs: nowUs + refundableMs(limits) * 1000, nowUs });
  for (const bound of limits) {
    const { cell, state } = weigh(desk, bound, true);
    if (cell === undefined || bound.limit.numbers.algorithm === 'concurrency') continue;
    const { algorithm, numbers } = bound.limit;
    const given = { amount: bound.cost, chargedAtUs, nowUs };
    store(desk, bound, cell, algorithm.refund(numbers, state, given));
  }
  return true;
}

export function release(desk: Desk, id: string): boolean {
  const { nowUs } = desk;
  const { tickets } = desk.books();
  const ticket = tickets.get(id, nowUs);
  if (!ticket) return false;
  let freed = 0;
  for (const bound of ticket.slots) {
    const state = slotsOf(desk, bound);
    if (state && freeSlot(state, id, nowUs)) freed += 1;
  }
  if (freed === ticket.slots.length) tickets.delete(id);
  return freed > 0;
}

function slotsOf({ cells, tenant }: Desk, bound: BoundLimit): ConcurrencyState | undefined {
  const cell = cells.find(tenant, bound);
  if (cell === undefined) return undefined;
  return cells.stateOf(cell, bound.limit) as ConcurrencyState | undefined;
}

export type Renewal = { readonly id: string; readonly ttlMs: number };

/** For at most as long as the limit lets a silent ticket live. */
export function renewTicket(desk: Desk, { id, ttlMs }: Renewal): boolean {
  const { cells, tenant, nowUs } = desk;
  const { tickets } = desk.books();
  const ticket = tickets.get(id, nowUs);
  if (!ticket) return false;
  let lastUs = 0;
  for (const bound of ticket.slots) {
    const cell = cells.find(tenant, bound);
    const state = slotsOf(desk, bound);
    const expiresAtUs = nowUs + Math.min(ttlMs * 1000, staleAfterUs(bound.limit));
    if (cell === undefined || !state || !renewSlot(state, { id, expiresAtUs }, nowUs)) continue;
    cells.keepUntil(cell, expiresAtUs);
    lastUs = Math.max(lastUs, expiresAtUs);
  }
  if (lastUs > 0) tickets.set(id, ticket, { expiresAtUs: lastUs + minuteUs, nowUs });
  return lastUs > 0;
}

function staleAfterUs({ numbers }: Limit): number {
  return numbers.algorithm === 'concurrency' ? numbers.staleAfterUs : 0;
}

export function renewReservation(desk: Desk, { id, ttlMs }: Renewal): boolean {
  const { cells, tenant, nowUs } = desk;
  const { reservations } = desk.books();
  const reservation = reservations.get(id, nowUs);
  if (!reservation || reservation.settled) return false;
  const expiresAtUs = nowUs + ttlMs * 1000;
  let renewed = false;
  for (const { bound } of reservation.holds) {
    const cell = cells.find(tenant, bound);
    if (cell === undefined) continue;
    const hold = cells.extrasOf(cell)?.holds?.open.get(id);
    const state = cells.stateOf(cell, bound.limit);
    if (!state || !hold || hold.expiresAtUs <= nowUs) continue;
    // In a window that is over there is nothing left to hold.
    if (windowStartOf(bound.limit.numbers, state) !== hold.windowStartUs) continue;
    addHold(holdsOf(desk, cell), id, { ...hold, expiresAtUs });
    cells.keepUntil(cell, holdsCountUntilUs(bound, expiresAtUs));
    renewed = true;
  }
  if (renewed) {
    reservation.expiresAtUs = expiresAtUs;
    reservations.set(id, reservation, { expiresAtUs: expiresAtUs + dayUs, nowUs });
  }
  return renewed;
}
