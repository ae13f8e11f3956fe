import type { Numbers, Opaque } from '../../core/algorithms/index.ts';
import type { BoundLimit } from '../../core/engine.ts';
import type { Limit } from '../../core/limit.ts';
import type { Cell } from './cells.ts';
import type { Desk } from './desk.ts';

export type Hold = {
  readonly cost: number;
  readonly expiresAtUs: number;
  readonly windowStartUs: number;
  readonly keep: boolean;
};

/** What open reservations hold of one counter. */
export type Holds = {
  readonly open: Map<string, Hold>;
  /** No hold expires before this. */
  soonestUs: number;
  /**
   * As it was when the counter was last charged or reserved. A settlement comes with the numbers of
   * the time it was reserved, which are no measure for a counter that has been under others since.
   */
  inForce: Limit | undefined;
  kept: KeptCharge | undefined;
};

/**
 * What was last charged of a reservation that ran out and is kept. It is given back by the numbers
 * that it was charged under. While charges under others may count, nothing is given back: nobody
 * knows whose is whose, and `keep` says that it is charged anyway.
 */
export type KeptCharge = { readonly limit: Limit; readonly mixedUntilUs: number };

/** Those of a cell, which may have had none. */
export function holdsOf({ cells }: Pick<Desk, 'cells'>, cell: Cell): Holds {
  return (cells.needExtras(cell).holds ??= {
    open: new Map(),
    soonestUs: Infinity,
    inForce: undefined,
    kept: undefined,
  });
}

export function addHold(holds: Holds, id: string, hold: Hold): void {
  holds.open.set(id, hold);
  holds.soonestUs = Math.min(holds.soonestUs, hold.expiresAtUs);
}

/** Fixed windows and quotas count a hold in the window that it was made in, the others always. */
export function windowStartOf(numbers: Numbers, state: Opaque): number {
  const windowed = numbers.algorithm === 'fixed_window' || numbers.algorithm === 'quota';
  return windowed ? (state as { startUs: number }).startUs : 0;
}

export function heldIn(holds: Holds | null, windowStartUs: number) {
  let held = 0;
  let heldUntilUs = 0;
  for (const hold of holds?.open.values() ?? []) {
    if (hold.windowStartUs !== windowStartUs) continue;
    held += hold.cost;
    heldUntilUs = Math.max(heldUntilUs, hold.expiresAtUs);
  }
  return { held, heldUntilUs };
}

/**
 * Takes expired holds off; those to be kept are charged as they were reserved, at the time they
 * expired.
 */
export function expireHolds({ cells, nowUs }: Desk, { limit }: BoundLimit, cell: Cell): void {
  const holds = cells.extrasOf(cell)?.holds;
  if (!holds || nowUs < holds.soonestUs) return;
  const { algorithm, numbers } = limit;
  const open = [...holds.open].toSorted(([, a], [, b]) => a.expiresAtUs - b.expiresAtUs);
  holds.soonestUs = Infinity;
  for (const [id, { cost, expiresAtUs, windowStartUs, keep }] of open) {
    if (expiresAtUs > nowUs) {
      holds.soonestUs = expiresAtUs;
      break;
    }
    holds.open.delete(id);
    const then = algorithm.load(numbers, cells.stateOf(cell, limit), expiresAtUs);
    if (keep && windowStartOf(numbers, then) === windowStartUs) {
      const charged = algorithm.charge(numbers, then, cost, expiresAtUs);
      cells.setState(cell, limit, charged);
      cells.keepUntil(cell, algorithm.expiresAtUs(numbers, charged));
      holds.inForce = limit;
      if (asCharged(limit)) holds.kept = keptUnder(limit, holds.kept, nowUs);
    }
  }
}

/** Whether a charge is given back by the numbers of its time, not by those in force. */
export function asCharged({ numbers: { algorithm } }: Limit): boolean {
  return algorithm === 'token_bucket' || algorithm === 'sliding_window_counter';
}

function keptUnder(limit: Limit, last: KeptCharge | undefined, nowUs: number): KeptCharge {
  if (!last) return { limit, mixedUntilUs: 0 };
  const { mixedUntilUs } = last;
  if (areEqual(limit.numbers, last.limit.numbers)) return { limit, mixedUntilUs };
  const longestUs = Math.max(recoveryUsOf(last.limit), recoveryUsOf(limit));
  return { limit, mixedUntilUs: Math.max(mixedUntilUs, nowUs + longestUs) };
}

function areEqual(some: Numbers, others: Numbers): boolean {
  const names = Object.keys(some) as (keyof Numbers)[];
  return names.every((name) => some[name] === others[name]);
}

/** A hold may be charged as late as it expires, and counts from then on. */
export function holdsCountUntilUs({ limit }: BoundLimit, expiresAtUs: number): number {
  return expiresAtUs + recoveryUsOf(limit);
}

function recoveryUsOf({ algorithm, numbers }: Limit): number {
  return algorithm.recoveryUs(numbers) ?? 0;
}
