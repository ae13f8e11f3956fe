import type { Algorithm, Shown } from './algorithm.ts';

export type ConcurrencyNumbers = { readonly slots: number; readonly staleAfterUs: number };

type Holder = { readonly id: string; readonly expiresAtUs: number };

/** The open calls, each with its own expiry, soonest first. Changed in place. */
export type ConcurrencyState = { readonly holders: Holder[] };

export type ConcurrencyReading = {
  readonly used: number;
  readonly soonestUs: number;
  readonly latestUs: number;
};

/** A hint only: nobody knows when an open call ends. */
const retryHintUs = 1_000_000;

/** `charge` takes no slot: a slot belongs to a ticket, see `takeSlot`. */
export const concurrency: Algorithm<ConcurrencyNumbers, ConcurrencyState, ConcurrencyReading> = {
  sizeOf: (numbers) => numbers.slots,
  load: (_numbers, stored) => stored ?? { holders: [] },

  /** One slot whatever the cost. */
  admits(numbers, state, _amount, nowUs) {
    return state.holders.length - firstLive(state.holders, nowUs) < numbers.slots;
  },

  charge: (_numbers, state) => state,
  refund: (_numbers, state) => state,
  expiresAtUs: (_numbers, state) => state.holders.at(-1)?.expiresAtUs ?? 0,

  recoveryUs: () => null,

  read(_numbers, { holders }, _amount, nowUs) {
    const first = firstLive(holders, nowUs);
    return {
      used: holders.length - first,
      soonestUs: holders[first]?.expiresAtUs ?? 0,
      latestUs: first < holders.length ? (holders.at(-1)?.expiresAtUs ?? 0) : 0,
    };
  },

  show(numbers, { used, soonestUs, latestUs }, _amount, nowUs): Shown {
    const full = used >= numbers.slots;
    return {
      used,
      remaining: Math.max(0, numbers.slots - used),
      resetAtUs: Math.max(nowUs, latestUs),
      fitsAtUs: full ? Math.min(soonestUs, nowUs + retryHintUs) : nowUs,
    };
  },
};

export function takeSlot(state: ConcurrencyState, holder: Holder, nowUs: number): void {
  state.holders.splice(0, firstLive(state.holders, nowUs));
  insert(state, holder);
}

function insert({ holders }: ConcurrencyState, holder: Holder): void {
  holders.splice(firstLive(holders, holder.expiresAtUs), 0, holder);
}

/** True when the ticket held a slot that had not expired; one that has is left as it is. */
export function freeSlot(state: ConcurrencyState, id: string, nowUs: number): boolean {
  const at = state.holders.findIndex((holder) => holder.id === id && holder.expiresAtUs > nowUs);
  if (at < 0) return false;
  state.holders.splice(at, 1);
  return true;
}

/**
 * True when the ticket held a slot that had not expired; it is then held until the new expiry.
 * Others' are left as they are: should the clock go back, they count again.
 */
export function renewSlot(state: ConcurrencyState, holder: Holder, nowUs: number): boolean {
  if (!freeSlot(state, holder.id, nowUs)) return false;
  insert(state, holder);
  return true;
}

/** The first holder that expires after the instant; those before it are gone. */
function firstLive(holders: readonly Holder[], atUs: number): number {
  let low = 0;
  let high = holders.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((holders[middle] as Holder).expiresAtUs <= atUs) low = middle + 1;
    else high = middle;
  }
  return low;
}
