import type { Algorithm, Shown } from './algorithm.ts';

export type SlidingWindowLogNumbers = { readonly limit: number; readonly windowUs: number };

/**
 * Every charge with its time and the running total after it: what lies between two instants is one
 * subtraction. `base` is the total up to which charges were given back. Changed in place, for a
 * log is as long as its limit.
 */
export type SlidingWindowLogState = {
  timesUs: number[];
  totals: number[];
  base: number;
  /** That it was last charged under; 0 before. */
  windowUs: number;
};

export type SlidingWindowLogReading = {
  readonly used: number;
  readonly newestUs: number;
  /** When enough of the oldest is out of the window for the amount to fit; 0 when it fits now. */
  readonly fitsAtUs: number;
};

type State = SlidingWindowLogState;

export const slidingWindowLog: Algorithm<SlidingWindowLogNumbers, State, SlidingWindowLogReading> =
  {
    sizeOf: (numbers) => numbers.limit,
    load: (_numbers, stored) => stored ?? { timesUs: [], totals: [], base: 0, windowUs: 0 },

    admits(numbers, state, amount, nowUs) {
      return used(numbers, state, nowUs) + amount <= numbers.limit;
    },

    charge(numbers, state, amount, nowUs) {
      const before = used(numbers, state, nowUs);
      const after = Math.max(before, Math.min(before + amount, 2 * numbers.limit));
      forget(state, numbers.windowUs, nowUs);
      state.windowUs = numbers.windowUs;
      const total = lastTotal(state) + (after - before);
      const last = state.timesUs.length - 1;
      // A clock that went back adds to the newest entry: times in the log only rise.
      if (last >= 0 && (state.timesUs[last] as number) >= nowUs) {
        state.totals[last] = total;
      } else {
        state.timesUs.push(nowUs);
        state.totals.push(total);
      }
      return state;
    },

    /**
     * The oldest go first: they would have left the window soonest, so that this gives back the
     * least. Giving back the newest would let more through than the limit.
     */
    refund(numbers, state, { amount, chargedAtUs, nowUs }) {
      if (chargedAtUs <= nowUs - numbers.windowUs) return state;
      state.base = Math.min(edge(numbers, state, nowUs) + amount, lastTotal(state));
      return state;
    },

    expiresAtUs: (numbers, state) => (state.timesUs.at(-1) ?? 0) + numbers.windowUs,

    recoveryUs: (numbers) => numbers.windowUs,

    read(numbers, state, amount, nowUs) {
      const inWindow = used(numbers, state, nowUs);
      const newestUs = inWindow > 0 ? (state.timesUs.at(-1) ?? 0) : 0;
      if (inWindow + amount <= numbers.limit) return { used: inWindow, newestUs, fitsAtUs: 0 };
      const mustBeGone = lastTotal(state) + amount - numbers.limit;
      const entry = firstWhere(state.totals, (total) => total >= mustBeGone);
      const atUs = state.timesUs[entry] ?? newestUs;
      return { used: inWindow, newestUs, fitsAtUs: atUs + numbers.windowUs };
    },

    show(numbers, reading, _amount, nowUs): Shown {
      return {
        used: reading.used,
        remaining: Math.max(0, numbers.limit - reading.used),
        resetAtUs: reading.newestUs === 0 ? nowUs : reading.newestUs + numbers.windowUs,
        fitsAtUs: reading.fitsAtUs === 0 ? nowUs : reading.fitsAtUs,
      };
    },
  };

function used(numbers: SlidingWindowLogNumbers, state: State, nowUs: number): number {
  return lastTotal(state) - edge(numbers, state, nowUs);
}

/** The running total of what has left the window or was given back. */
function edge(numbers: SlidingWindowLogNumbers, state: State, nowUs: number): number {
  const goneUntilUs = nowUs - numbers.windowUs;
  const live = firstWhere(state.timesUs, (atUs) => atUs > goneUntilUs);
  return Math.max(state.base, live === 0 ? 0 : (state.totals[live - 1] as number));
}

function lastTotal(state: State): number {
  return state.totals.at(-1) ?? state.base;
}

const shortLength = 256;
const forgetAtLeast = 64;

/** Drops what has left the window: of a long log once it is half, so that each entry moves once. */
function forget(state: State, windowUs: number, nowUs: number): void {
  const gone = firstWhere(state.timesUs, (atUs) => atUs > nowUs - windowUs);
  const { length } = state.timesUs;
  if (gone === 0) return;
  if (length >= shortLength && (gone < forgetAtLeast || gone * 2 < length)) return;
  state.base = Math.max(state.base, state.totals[gone - 1] as number);
  state.timesUs.splice(0, gone);
  state.totals.splice(0, gone);
}

/** The first index whose value satisfies the condition, which holds for all after it too. */
function firstWhere(values: readonly number[], holds: (value: number) => boolean): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(values[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}
