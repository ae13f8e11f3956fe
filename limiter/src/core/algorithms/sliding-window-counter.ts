import type { Algorithm, Refund, Shown } from './algorithm.ts';

export type SlidingWindowCounterNumbers = { readonly limit: number; readonly windowUs: number };

/**
 * The count of the running aligned window and of the one before, which fades as its share of the
 * rolling window shrinks. The window's length is kept with the counts: a changed length takes
 * over with the next charge, until then the counts fade as they began.
 */
export type SlidingWindowCounterState = {
  readonly startUs: number;
  readonly windowUs: number;
  readonly previous: number;
  readonly current: number;
};

type State = SlidingWindowCounterState;

export const slidingWindowCounter: Algorithm<SlidingWindowCounterNumbers, State, State> = {
  sizeOf: (numbers) => numbers.limit,

  load(numbers, stored, nowUs) {
    if (stored !== undefined) {
      const { startUs, windowUs, previous, current } = stored;
      // Before its start too: a clock that went back grants nothing.
      if (nowUs < startUs + windowUs) return { startUs, windowUs, previous, current };
      if (nowUs < startUs + 2 * windowUs && current > 0) {
        return { startUs: startUs + windowUs, windowUs, previous: current, current: 0 };
      }
    }
    const { windowUs } = numbers;
    return { startUs: nowUs - (nowUs % windowUs), windowUs, previous: 0, current: 0 };
  },

  flat: {
    read: (kept, at) => ({
      startUs: kept[at] as number,
      windowUs: kept[at + 1] as number,
      previous: kept[at + 2] as number,
      current: kept[at + 3] as number,
    }),
    write(kept, at, { startUs, windowUs, previous, current }) {
      kept[at] = startUs;
      kept[at + 1] = windowUs;
      kept[at + 2] = previous;
      kept[at + 3] = current;
    },
  },

  admits(numbers, state, amount, nowUs) {
    const { ticks, elapsed } = ticksOf(state, nowUs);
    const counted = state.previous * (ticks - elapsed) + (state.current + amount) * ticks;
    return counted <= numbers.limit * ticks;
  },

  charge(numbers, state, amount, nowUs) {
    const { startUs, windowUs, previous, current } = inLengthOf(numbers, state, nowUs);
    const bounded = Math.max(current, Math.min(current + amount, 2 * numbers.limit));
    return { startUs, windowUs, previous, current: bounded };
  },

  refund(numbers, state, refund) {
    const { startUs, windowUs, previous, current } = state;
    const { chargedAtUs } = refund;
    const amount = windowUs === numbers.windowUs ? refund.amount : notFaded(numbers, refund);
    if (chargedAtUs >= startUs && chargedAtUs < startUs + windowUs) {
      return { startUs, windowUs, previous, current: Math.max(0, current - amount) };
    }
    if (chargedAtUs >= startUs - windowUs && chargedAtUs < startUs) {
      return { startUs, windowUs, previous: Math.max(0, previous - amount), current };
    }
    return state;
  },

  expiresAtUs: (_numbers, state) => state.startUs + 2 * state.windowUs,

  recoveryUs: (numbers) => 2 * numbers.windowUs,

  read: (_numbers, state) => state,

  show(numbers, state, amount, nowUs): Shown {
    const { ticks, elapsed } = ticksOf(state, nowUs);
    const faded = Math.ceil((state.previous * (ticks - elapsed)) / ticks);
    const used = faded + state.current;
    return {
      used,
      remaining: Math.max(0, numbers.limit - used),
      resetAtUs: state.startUs + 2 * state.windowUs,
      fitsAtUs: fitsAtUs(numbers.limit, state, amount, nowUs),
    };
  },
};

const hourUs = 3_600_000_000;

/** Windows over an hour are weighed in milliseconds: count × length must stay below 2^53. */
export function tickUsOf(windowUs: number): number {
  return windowUs > hourUs ? 1000 : 1;
}

function ticksOf(
  state: Pick<State, 'startUs' | 'windowUs'>,
  nowUs: number,
): { ticks: number; elapsed: number } {
  const tickUs = tickUsOf(state.windowUs);
  return {
    ticks: state.windowUs / tickUs,
    elapsed: Math.floor(Math.max(0, nowUs - state.startUs) / tickUs),
  };
}

/** Counts of another window length move into the running window of the new one, whole. */
function inLengthOf(numbers: SlidingWindowCounterNumbers, state: State, nowUs: number): State {
  if (state.windowUs === numbers.windowUs) return state;
  const { ticks, elapsed } = ticksOf(state, nowUs);
  const current = Math.ceil((state.previous * (ticks - elapsed)) / ticks) + state.current;
  const atUs = Math.max(nowUs, state.startUs);
  const startUs = atUs - (atUs % numbers.windowUs);
  return { startUs, windowUs: numbers.windowUs, previous: 0, current };
}

/**
 * What had faded of a charge when its window's length changed was not taken over, and nobody knows
 * when that was: only as much is given back as would be left if it were now.
 */
function notFaded(numbers: SlidingWindowCounterNumbers, refund: Refund): number {
  const { windowUs } = numbers;
  const { amount, chargedAtUs, nowUs } = refund;
  const startUs = chargedAtUs - (chargedAtUs % windowUs) + windowUs;
  const { ticks, elapsed } = ticksOf({ startUs, windowUs }, nowUs);
  return Math.floor((amount * Math.max(0, ticks - elapsed)) / ticks);
}

function fitsAtUs(limit: number, state: State, amount: number, nowUs: number): number {
  const tickUs = tickUsOf(state.windowUs);
  const { ticks, elapsed } = ticksOf(state, nowUs);
  const room = (limit - state.current - amount) * ticks;
  if (room >= 0) {
    if (state.previous * (ticks - elapsed) <= room) return nowUs;
    return state.startUs + (ticks - Math.floor(room / state.previous)) * tickUs;
  }
  const nextStartUs = state.startUs + state.windowUs;
  const roomNext = (limit - amount) * ticks;
  const wait = ticks - Math.floor(roomNext / state.current);
  return nextStartUs + Math.max(0, wait) * tickUs;
}
