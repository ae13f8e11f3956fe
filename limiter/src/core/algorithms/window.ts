import type { Algorithm } from './algorithm.ts';

/** What fixed windows and quotas share: a count that belongs to one stretch of time. */
export type WindowState = {
  readonly startUs: number;
  readonly endUs: number;
  readonly used: number;
};

export type Bounds = { readonly startUs: number; readonly endUs: number };

/**
 * The stored window counts on until its end; before its start too, for a clock that went back
 * grants nothing.
 */
export function loadWindow(
  stored: WindowState | undefined,
  endUs: number,
  nowUs: number,
): WindowState | undefined {
  if (stored === undefined || nowUs >= endUs) return undefined;
  return endUs === stored.endUs ? stored : { ...stored, endUs };
}

export function freshWindow(bounds: Bounds): WindowState {
  return { startUs: bounds.startUs, endUs: bounds.endUs, used: 0 };
}

/** An algorithm of windows: only where they begin and end differs. */
export function windowAlgorithm<Numbers extends { readonly limit: number }>(
  load: Algorithm<Numbers, WindowState, WindowState>['load'],
): Algorithm<Numbers, WindowState, WindowState> {
  return {
    sizeOf: (numbers) => numbers.limit,
    load,
    flat: {
      read: (kept, at) => ({
        startUs: kept[at] as number,
        endUs: kept[at + 1] as number,
        used: kept[at + 2] as number,
      }),
      write(kept, at, { startUs, endUs, used }) {
        kept[at] = startUs;
        kept[at + 1] = endUs;
        kept[at + 2] = used;
      },
    },
    admits: (numbers, state, amount) => state.used + amount <= numbers.limit,

    /** What was used is kept whole, up to twice the limit: the bound of any debt. */
    charge({ limit }, { startUs, endUs, used }, amount) {
      return { startUs, endUs, used: Math.max(used, Math.min(used + amount, 2 * limit)) };
    },

    refund(_numbers, state, { amount, chargedAtUs }) {
      if (chargedAtUs < state.startUs || chargedAtUs >= state.endUs) return state;
      return { ...state, used: Math.max(0, state.used - amount) };
    },

    expiresAtUs: (_numbers, state) => state.endUs,
    recoveryUs: () => null,
    read: (_numbers, state) => state,

    show({ limit }, { used, endUs }, amount, nowUs) {
      return {
        used,
        remaining: Math.max(0, limit - used),
        resetAtUs: endUs,
        fitsAtUs: used + amount <= limit ? nowUs : endUs,
      };
    },
  };
}
