import { freeSlot, renewSlot, type ConcurrencyState } from '../../core/algorithms/concurrency.ts';
import {
  type BoundLimit,
  type ChargeRefund,
  type DebitCall,
  type Heartbeat,
  type HeartbeatResult,
  type Question,
  type RefundCall,
  type RefundResult,
  type ReleaseResult,
} from '../../core/engine.ts';
import { costsByUnit, ownCost } from '../../core/costs.ts';
import { StoreFailure } from '../../core/errors.ts';
import type { Limit } from '../../core/limit.ts';
import { debitMark, refundableMs } from '../../core/refundable.ts';
import { store } from './decide.ts';
import type { Desk } from './desk.ts';
import {
  addHold,
  asCharged,
  expireHolds,
  holdsCountUntilUs,
  holdsOf,
  windowStartOf,
} from './holds.ts';
import { inForce } from './in-force.ts';
import { plantSeed } from './seeds.ts';
import { settle } from './settle.ts';

const dayUs = 86_400_000_000;
const minuteUs = 60_000_000;

export function refund(desk: Desk, call: RefundCall): boolean {
  const { id, limits, chargedAtUs, rememberMs = refundableMs(limits) } = call;
  const { nowUs } = desk;
  const { refunds } = desk.books();
  if (refunds.get(id, nowUs)) return false;
  // One that could not be remembered could be given back again.
  if (!refunds.hasRoom(nowUs)) throw new StoreFailure('too many refunds');
  refunds.set(id, true, { expiresAtUs: nowUs + rememberMs * 1000, nowUs });
  for (const bound of limits) refundOne(desk, bound, chargedAtUs);
  return true;
}

function refundOne(desk: Desk, charged: BoundLimit, chargedAtUs: number): void {
  const { cells, tenant, nowUs } = desk;
  if (charged.limit.numbers.algorithm === 'concurrency') return;
  if (desk.seeds.waiting) plantSeed(desk, charged);
  const cell = cells.find(tenant, charged);
  if (cell === undefined) return;
  const bound = inForce(desk, charged, cell);
  expireHolds(desk, bound, cell);
  const state = cells.stateOf(cell, bound.limit);
  if (!state) return;
  // A bucket gives back the time that was charged, at the rate of then; a sliding counter what has
  // not faded by the window of then.
  const numbers = (asCharged(charged.limit) ? charged : bound).limit.numbers;
  const given = { amount: charged.cost, chargedAtUs, nowUs };
  store(desk, bound, cell, bound.limit.algorithm.refund(numbers, state, given));
}

/** The twin of `debit.lua`. */
export function debit(desk: Desk, call: DebitCall): boolean {
  const { id, limits, rememberMs = refundableMs(limits) } = call;
  const { nowUs } = desk;
  const { refunds } = desk.books();
  const mark = debitMark(id);
  if (refunds.get(mark, nowUs)) return false;
  if (!refunds.hasRoom(nowUs)) throw new StoreFailure('too many refunds');
  refunds.set(mark, true, { expiresAtUs: nowUs + rememberMs * 1000, nowUs });
  for (const bound of limits) debitOne(desk, bound);
  return true;
}

function debitOne(desk: Desk, asked: BoundLimit): void {
  const { cells, tenant, nowUs } = desk;
  if (asked.limit.numbers.algorithm === 'concurrency') return;
  if (desk.seeds.waiting) plantSeed(desk, asked);
  const known = cells.find(tenant, asked);
  const bound = known === undefined ? asked : inForce(desk, asked, known);
  if (known !== undefined) expireHolds(desk, bound, known);
  const cell = known ?? cells.make(tenant, asked);
  const { algorithm, numbers } = bound.limit;
  const before = algorithm.load(numbers, cells.stateOf(cell, bound.limit), nowUs);
  store(desk, bound, cell, algorithm.charge(numbers, before, asked.cost, nowUs));
}

/** Of a charge that was kept. */
export function refundCharge(desk: Desk, { id, costs }: ChargeRefund): RefundResult {
  const charge = desk.books().charges.get(id, desk.nowUs);
  if (!charge) return { kind: 'unknown' };
  const limits = charge.limits.flatMap((bound) => {
    const { unit } = bound.limit;
    const cost = Math.min(bound.cost, costs ? (ownCost(costs, unit) ?? 0) : bound.cost);
    return cost > 0 ? [{ ...bound, cost }] : [];
  });
  if (limits.length === 0) return { kind: 'refunded', costs: {} };
  if (!refund(desk, { id, chargedAtUs: charge.chargedAtUs, limits })) return { kind: 'repeated' };
  return {
    kind: 'refunded',
    costs: costsByUnit(limits.map(({ limit, cost }) => ({ unit: limit.unit, cost }))),
  };
}

export function release(desk: Desk, text: string): ReleaseResult {
  const id = desk.idIn(text);
  return id === null ? 'unknown' : free(desk, id) ? 'released' : 'gone';
}

/** A question whose answer nobody heard: here it is answered at once, or failed and took nothing. */
export function abandon(desk: Desk, { id, limits, reserve }: Question): void {
  free(desk, id);
  if (!reserve) return;
  const costs = Object.fromEntries(limits.map(({ limit }) => [limit.unit, 0]));
  settle(desk, { reservationId: id, costs });
}

function free(desk: Desk, id: string): boolean {
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

/** For at most as long as the limit lets a silent ticket live. */
export function renewTicket(
  desk: Desk,
  { ticket: text, ttlMs = Number.POSITIVE_INFINITY }: Extract<Heartbeat, { ticket: string }>,
): HeartbeatResult {
  const { cells, tenant, nowUs } = desk;
  const id = desk.idIn(text);
  if (id === null) return { kind: 'unknown' };
  const { tickets } = desk.books();
  const ticket = tickets.get(id, nowUs);
  if (!ticket) return { kind: 'gone' };
  let firstUs = Number.POSITIVE_INFINITY;
  let lastUs = 0;
  for (const bound of ticket.slots) {
    const cell = cells.find(tenant, bound);
    const state = slotsOf(desk, bound);
    const expiresAtUs = nowUs + Math.min(ttlMs * 1000, staleAfterUs(bound.limit));
    if (cell === undefined || !state || !renewSlot(state, { id, expiresAtUs }, nowUs)) continue;
    cells.keepUntil(cell, expiresAtUs);
    firstUs = Math.min(firstUs, expiresAtUs);
    lastUs = Math.max(lastUs, expiresAtUs);
  }
  if (lastUs === 0) return { kind: 'gone' };
  tickets.set(id, ticket, { expiresAtUs: lastUs + minuteUs, nowUs });
  return { kind: 'held', untilUs: firstUs };
}

function staleAfterUs({ numbers }: Limit): number {
  return numbers.algorithm === 'concurrency' ? numbers.staleAfterUs : 0;
}

export function renewReservation(
  desk: Desk,
  { reservationId: id, ttlMs }: Extract<Heartbeat, { reservationId: string }>,
): HeartbeatResult {
  const { cells, tenant, nowUs } = desk;
  const { reservations } = desk.books();
  const reservation = reservations.get(id, nowUs);
  if (!reservation) return { kind: 'unknown' };
  if (reservation.settled || reservation.expiresAtUs <= nowUs) return { kind: 'gone' };
  const expiresAtUs = nowUs + (ttlMs ?? reservation.ttlMs) * 1000;
  for (const { bound } of reservation.holds) {
    const cell = cells.find(tenant, bound);
    if (cell === undefined) continue;
    const hold = cells.extrasOf(cell)?.holds?.open.get(id);
    const state = cells.stateOf(cell, bound.limit);
    if (!state || !hold || hold.expiresAtUs <= nowUs) continue;
    // In a window that is over there is nothing left to hold.
    if (windowStartOf(bound.limit.numbers, state) !== hold.windowStartUs) continue;
    addHold(holdsOf(desk, cell), id, { ...hold, expiresAtUs });
    cells.keepUntil(cell, holdsCountUntilUs(inForce(desk, bound, cell), expiresAtUs));
  }
  reservation.expiresAtUs = expiresAtUs;
  reservations.set(id, reservation, { expiresAtUs: expiresAtUs + dayUs, nowUs });
  return { kind: 'held', untilUs: expiresAtUs };
}
