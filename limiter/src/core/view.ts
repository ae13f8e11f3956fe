import type { BoundLimit, Reading } from './engine.ts';
import type { Limit } from './limit.ts';

/** What a decision shows of one limit. Computed here for every engine, so that all agree. */
export type LimitView = {
  readonly used: number;
  readonly remaining: number;
  readonly resetAtUs: number;
  /** Waiting exactly this long succeeds if nobody else comes; null when it never will. */
  readonly retryAfterUs: number | null;
};

export function view(bound: BoundLimit, reading: Reading, nowUs: number): LimitView {
  const { limit } = bound;
  const { held } = reading;
  const amount = amountOf(limit, bound.cost) + held;
  const shown = limit.algorithm.show(limit.numbers, reading.state, amount, nowUs);
  return {
    used: shown.used + held,
    remaining: Math.max(0, shown.remaining - held),
    resetAtUs: shown.resetAtUs,
    retryAfterUs: retryAfterUs(bound, reading, shown, nowUs),
  };
}

/** A concurrency limit takes one slot whatever the call costs. */
export function amountOf(limit: Limit, cost: number): number {
  return limit.numbers.algorithm === 'concurrency' ? Math.min(cost, 1) : cost;
}

type Times = { readonly resetAtUs: number; readonly fitsAtUs: number };

function retryAfterUs(
  bound: BoundLimit,
  reading: Reading,
  times: Times,
  nowUs: number,
): number | null {
  if (reading.verdict === 'ok') return 0;
  if (reading.verdict === 'impossible') return null;
  const mustOutwaitHolds = reading.held > 0 && reading.held + bound.cost > bound.limit.size;
  const fitsAtUs = mustOutwaitHolds ? afterHoldsUs(bound.limit, reading, times) : times.fitsAtUs;
  return Math.max(fitsAtUs, reading.blockedUntilUs) - nowUs;
}

/** Holds must end first. Nobody knows when they do: an upper bound, by when all is free again. */
function afterHoldsUs(limit: Limit, { heldUntilUs }: Reading, times: Times): number {
  const recoveryUs = limit.algorithm.recoveryUs(limit.numbers);
  if (recoveryUs === null) return times.resetAtUs;
  const freeAtUs = Math.max(times.resetAtUs, heldUntilUs + recoveryUs);
  // On top of a bucket's debt comes what is held, when it is kept.
  const { algorithm } = limit.numbers;
  return algorithm === 'token_bucket' ? Math.max(freeAtUs, times.fitsAtUs) : freeAtUs;
}
