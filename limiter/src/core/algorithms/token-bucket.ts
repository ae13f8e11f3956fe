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

/** Nothing here makes an object but for the state it returns: this is the path of every check. */
export const tokenBucket: Algorithm<TokenBucketNumbers, TokenBucketState, TokenBucketState> = {
  sizeOf: (numbers) => numbers.capacity,

  load(numbers, stored, nowUs) {
    if (stored === undefined) return fullAt(numbers, nowUs);
    // A fraction that a change of rate left meaningless counts against the caller.
    const stale = stored.fraction >= numbers.tokens;
    const state = stale ? { emptyAtUs: stored.emptyAtUs + 1, fraction: 0 } : stored;
    return isFull(numbers, state, nowUs) ? fullAt(numbers, nowUs) : state;
  },

  flat: {
    read: (kept, at) => ({ emptyAtUs: kept[at] as number, fraction: kept[at + 1] as number }),
    write(kept, at, { emptyAtUs, fraction }) {
      kept[at] = emptyAtUs;
      kept[at + 1] = fraction;
    },
  },

  admits(numbers, state, amount, nowUs) {
    const emptyAtUs = emptyAtAfter(numbers, state, amount);
    if (emptyAtUs !== nowUs) return emptyAtUs < nowUs;
    return fractionAfter(numbers, state, amount) === 0;
  },

  /** Debt is bounded: at worst the bucket is empty for one whole fill time. */
  charge(numbers, state, amount, nowUs) {
    const emptyAtUs = emptyAtAfter(numbers, state, amount);
    const fraction = fractionAfter(numbers, state, amount);
    const worstUs = nowUs + numbers.fillUs;
    if (emptyAtUs < worstUs || (emptyAtUs === worstUs && fraction <= numbers.fillFraction)) {
      return { emptyAtUs, fraction };
    }
    return { emptyAtUs: worstUs, fraction: numbers.fillFraction };
  },

  /**
   * Since the charge the bucket may have been full but for it, and then that part of the charge
   * has already come back with time; only the rest is given back. What flows over is lost when it
   * is next looked at, by the capacity then in force.
   */
  refund(numbers, state, { amount, chargedAtUs, nowUs }: Refund) {
    const whole = Math.floor((amount * numbers.perUs) / numbers.tokens);
    const back = Math.max(0, whole - Math.max(0, nowUs - chargedAtUs));
    return { emptyAtUs: state.emptyAtUs - back, fraction: state.fraction };
  },

  expiresAtUs: (numbers, state) => state.emptyAtUs + numbers.fillUs + 2,

  recoveryUs: (numbers) => numbers.fillUs + 2,

  read: (_numbers, state) => state,

  show(numbers, state, amount, nowUs): Shown {
    const sinceEmpty = (nowUs - state.emptyAtUs) * numbers.tokens - state.fraction;
    const inBucket = Math.floor(sinceEmpty / numbers.perUs);
    return {
      used: numbers.capacity - inBucket,
      remaining: Math.max(0, inBucket),
      resetAtUs: roundedUpAfter(numbers, state, numbers.capacity),
      fitsAtUs: roundedUpAfter(numbers, state, amount),
    };
  },
};

/** Empty one fill time ago. */
function fullAt(numbers: TokenBucketNumbers, nowUs: number): TokenBucketState {
  if (numbers.fillFraction === 0) return { emptyAtUs: nowUs - numbers.fillUs, fraction: 0 };
  return {
    emptyAtUs: nowUs - numbers.fillUs - 1,
    fraction: numbers.tokens - numbers.fillFraction,
  };
}

function isFull(
  { fillUs, fillFraction, tokens }: TokenBucketNumbers,
  { emptyAtUs, fraction }: TokenBucketState,
  nowUs: number,
): boolean {
  const sinceUs = nowUs - emptyAtUs;
  if (fillFraction === 0) return sinceUs > fillUs || (sinceUs === fillUs && fraction === 0);
  return sinceUs > fillUs + 1 || (sinceUs === fillUs + 1 && fraction <= tokens - fillFraction);
}

/** Taking the amount moves the instant at which the bucket was empty by the time it takes. */
function emptyAtAfter(numbers: TokenBucketNumbers, state: TokenBucketState, amount: number) {
  const ticks = amount * numbers.perUs;
  if (numbers.tokens === 1) return state.emptyAtUs + ticks;
  const carry = state.fraction + (ticks % numbers.tokens) >= numbers.tokens ? 1 : 0;
  return state.emptyAtUs + Math.floor(ticks / numbers.tokens) + carry;
}

function fractionAfter(numbers: TokenBucketNumbers, state: TokenBucketState, amount: number) {
  if (numbers.tokens === 1) return state.fraction;
  const fraction = state.fraction + ((amount * numbers.perUs) % numbers.tokens);
  return fraction >= numbers.tokens ? fraction - numbers.tokens : fraction;
}

function roundedUpAfter(numbers: TokenBucketNumbers, state: TokenBucketState, amount: number) {
  const emptyAtUs = emptyAtAfter(numbers, state, amount);
  return fractionAfter(numbers, state, amount) === 0 ? emptyAtUs : emptyAtUs + 1;
}
