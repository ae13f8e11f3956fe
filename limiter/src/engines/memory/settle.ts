import type { Refund } from '../../core/algorithms/algorithm.ts';
import type { Opaque } from '../../core/algorithms/index.ts';
import type { WindowState } from '../../core/algorithms/window.ts';
import type {
  BoundLimit,
  QuotaSeed,
  Settled,
  Settlement,
  SettleResult,
} from '../../core/engine.ts';
import { ownCost, type Costs } from '../../core/costs.ts';
import type { Reservation } from './books.ts';
import { store } from './decide.ts';
import type { Desk } from './desk.ts';
import { expireHolds, windowStartOf, type KeptCharge } from './holds.ts';
import { inForce } from './in-force.ts';

const dayUs = 86_400_000_000;
/** Long enough for whoever did not hear the answer to ask again. */
const settledKeptUs = 3_600_000_000;

/**
 * Charges what was really used: what was held is freed, more is debt, and late is charged too. Told
 * again, it says what it did. The twin of `settle.lua`.
 */
export function settle(desk: Desk, { reservationId, costs }: Settlement): SettleResult {
  const reservation = desk.books().reservations.get(reservationId, desk.nowUs);
  if (!reservation) return { kind: 'unknown' };
  const { settled } = reservation;
  const real = settled?.costs ?? realCosts(reservation, costs);
  const held = reservation.holds.map((hold) =>
    settleHold(desk, reservation, { ...hold, id: reservationId, real: real[unitOf(hold)] ?? 0 }),
  );
  const late = settled?.late ?? isExpired(desk, reservation);
  if (!settled) {
    reservation.settled = { costs: real, late };
    const keptUs = Math.min(reservation.expiresAtUs + dayUs, desk.nowUs + settledKeptUs);
    const kept = { expiresAtUs: keptUs, nowUs: desk.nowUs };
    desk.books().reservations.set(reservationId, reservation, kept);
  }
  return {
    kind: settled ? 'repeated' : 'settled',
    late,
    debt: Math.max(0, ...held.map(({ debt }) => debt)),
    costs: real,
    quotas: held.flatMap(({ quota }) => quota ?? []),
  } satisfies Settled;
}

/** A unit that is not named settles at what was reserved. */
function realCosts(reservation: Reservation, costs: Costs): Costs {
  const real: Record<string, number> = Object.create(null);
  for (const unit in reservation.costs) {
    real[unit] = ownCost(costs, unit) ?? (reservation.costs[unit] as number);
  }
  return real;
}

function unitOf({ bound }: Reservation['holds'][number]): string {
  return bound.limit.unit;
}

type Settling = Reservation['holds'][number] & { readonly id: string; readonly real: number };

function settleHold(desk: Desk, reservation: Reservation, settling: Settling) {
  const { bound: reserved, windowStartUs } = settling;
  const { cells, tenant, nowUs } = desk;
  const first = reservation.settled === null;
  const cell = cells.find(tenant, reserved);
  const bound = cell === undefined ? reserved : inForce(desk, reserved, cell);
  // Only a settlement may change anything, and so end what has run out.
  if (first && cell !== undefined) expireHolds(desk, bound, cell);
  const { algorithm, numbers, size } = bound.limit;
  const stored = cell === undefined ? undefined : cells.stateOf(cell, bound.limit);
  const before = algorithm.load(numbers, stored, nowUs);
  const open = cell !== undefined && cells.extrasOf(cell)?.holds?.open.delete(settling.id) === true;
  if (windowStartOf(numbers, before) !== windowStartUs) return { debt: 0, quota: undefined };
  const kept = reservation.keep && !open && isExpired(desk, reservation) ? reserved.cost : 0;
  const state = first ? charged(desk, reservation, settling, { bound, before, kept }) : before;
  const { used } = algorithm.show(numbers, algorithm.read(numbers, state, 0, nowUs), 0, nowUs);
  const quota = numbers.algorithm === 'quota' ? quotaOf(desk, settling, state) : undefined;
  return { debt: Math.max(0, used - size), quota };
}

function isExpired({ nowUs }: Desk, { expiresAtUs }: Reservation): boolean {
  return expiresAtUs <= nowUs;
}

/** What a settlement meets: of what was reserved, `kept` was charged when it ran out. */
type Met = { readonly bound: BoundLimit; readonly before: Opaque; readonly kept: number };

function charged(
  desk: Desk,
  { expiresAtUs }: Reservation,
  { real }: Settling,
  { bound, before, kept }: Met,
): Opaque {
  const { cells, tenant, nowUs } = desk;
  const { algorithm, numbers } = bound.limit;
  const cell = cells.find(tenant, bound) ?? cells.make(tenant, bound);
  const back = { amount: kept - real, chargedAtUs: expiresAtUs, nowUs };
  const state =
    real >= kept
      ? algorithm.charge(numbers, before, real - kept, nowUs)
      : givenBack(bound, before, cells.extrasOf(cell)?.holds?.kept, back);
  store(desk, bound, cell, state);
  return state;
}

function givenBack(
  { limit }: BoundLimit,
  before: Opaque,
  kept: KeptCharge | undefined,
  back: Refund,
) {
  const { algorithm, numbers } = kept?.limit ?? limit;
  const isKnown = !kept || back.nowUs >= kept.mixedUntilUs;
  return isKnown ? algorithm.refund(numbers, before, back) : before;
}

function quotaOf({ names }: Desk, { bound }: Settling, state: Opaque): QuotaSeed {
  const { startUs, endUs, used } = state as WindowState;
  const { global } = bound.limit;
  return { counter: names.of(bound), global, period: { startUs, endUs }, used };
}
