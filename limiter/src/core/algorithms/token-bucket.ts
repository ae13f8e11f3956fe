import type { Algorithm, Refund, Shown } from './algorithm.ts';

/** `tokens` arrive every `perUs`; the bucket fills in `fillUs` + `fillFraction` / `tokens`. */
export type TokenBucketNumbers = {
  readonly capacity: number;
  readonly tokens: number;
  readonly perUs: number;
  readonly fillUs: number;
  readonly fillFraction: number;
};

/**
 * The instant at which the bucket was (or, in debt, will be) empty, in microseconds and
 * 1/`tokens` of one. What is in the bucket is the time since then, at the rate in force: so an
 * empty bucket stays empty whatever the numbers change to, and no change grants a burst.
 */
export type TokenBucketState = { readonly emptyAtUs: number; readonly fraction: number };

export function tokenBucketNumbers(
  capacity: number,
  rate: { readonly tokens: number; readonly perUs: number },
): TokenBucketNumbers {
  const ticks = capacity * rate.perUs;
  return {
    capacity,
    tokens: rate.tokens,
    perUs: rate.perUs,
    fillUs: Math.floor(ticks / rate.tokens),
    fillFraction: ticks % rate.tokens,
  };
}

export const tokenBucket: Algorithm<TokenBucketNumbers, TokenBucketState, TokenBucketState> = {
  sizeOf: (numbers) => numbers.capacity,

  load(numbers, stored, nowUs) {
    const full = fullAt(numbers, nowUs);
    if (stored === undefined) return full;
    const state = stored.fraction < numbers.tokens ? stored : roundedUp(stored);
    return isLater(state, full) ? state : full;
  },

  admits(numbers, state, amount, nowUs) {
    const { emptyAtUs, fraction } = later(numbers, state, amount);
    return emptyAtUs < nowUs || (emptyAtUs === nowUs && fraction === 0);
  },

  /** Debt is bounded: at worst the bucket is empty for one whole fill time. */
  charge(numbers, state, amount, nowUs) {
    const charged = later(numbers, state, amount);
    const bound = { emptyAtUs: nowUs + numbers.fillUs, fraction: numbers.fillFraction };
    return isLater(charged, bound) ? bound : charged;
  },

  /**
   * Since the charge the bucket may have been full but for it, and then that part of the charge
   * has already come back with time; only the rest is given back.
   */
  refund(numbers, state, { amount, chargedAtUs, nowUs }: Refund) {
    const whole = Math.floor((amount * numbers.perUs) / numbers.tokens);
    const back = Math.max(0, whole - Math.max(0, nowUs - chargedAtUs));
    const refunded = { emptyAtUs: state.emptyAtUs - back, fraction: state.fraction };
    const full = fullAt(numbers, nowUs);
    return isLater(refunded, full) ? refunded : full;
  },

  expiresAtUs: (numbers, state) => state.emptyAtUs + numbers.fillUs + 2,

  recoveryUs: (numbers) => numbers.fillUs + 2,

  read: (_numbers, state) => state,

  show(numbers, state, amount, nowUs): Shown {
    const fits = later(numbers, state, amount);
    const full = later(numbers, state, numbers.capacity);
    const sinceEmpty = (nowUs - state.emptyAtUs) * numbers.tokens - state.fraction;
    const inBucket = Math.floor(sinceEmpty / numbers.perUs);
    return {
      used: numbers.capacity - inBucket,
      remaining: Math.max(0, inBucket),
      resetAtUs: ceil(full),
      fitsAtUs: ceil(fits),
    };
  },
};

function fullAt(numbers: TokenBucketNumbers, nowUs: number): TokenBucketState {
  if (numbers.fillFraction === 0) return { emptyAtUs: nowUs - numbers.fillUs, fraction: 0 };
  return {
    emptyAtUs: nowUs - numbers.fillUs - 1,
    fraction: numbers.tokens - numbers.fillFraction,
  };
}

function later(numbers: TokenBucketNumbers, state: TokenBucketState, amount: number) {
  const ticks = amount * numbers.perUs;
  const fraction = state.fraction + (ticks % numbers.tokens);
  const emptyAtUs = state.emptyAtUs + Math.floor(ticks / numbers.tokens);
  return fraction < numbers.tokens
    ? { emptyAtUs, fraction }
    : { emptyAtUs: emptyAtUs + 1, fraction: fraction - numbers.tokens };
}

function isLater(a: TokenBucketState, b: TokenBucketState): boolean {
  return a.emptyAtUs > b.emptyAtUs || (a.emptyAtUs === b.emptyAtUs && a.fraction > b.fraction);
}

/** A fraction that a change of rate left meaningless counts against the caller. */
function roundedUp(state: TokenBucketState): TokenBucketState {
  return { emptyAtUs: state.emptyAtUs + 1, fraction: 0 };
}

function ceil(state: TokenBucketState): number {
  return state.fraction === 0 ? state.emptyAtUs : state.emptyAtUs + 1;
}
