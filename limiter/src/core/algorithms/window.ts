import type { Refund, Shown } from './algorithm.ts';

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

export function windowAdmits(limit: number, state: WindowState, amount: number): boolean {
  return state.used + amount <= limit;
}

/** What was used is kept whole, up to twice the limit: the bound of any debt. */
export function chargeWindow(limit: number, state: WindowState, amount: number): WindowState {
  const used = Math.max(state.used, Math.min(state.used + amount, 2 * limit));
  return { startUs: state.startUs, endUs: state.endUs, used };
}

export function refundWindow(state: WindowState, { amount, chargedAtUs }: Refund): WindowState {
  if (chargedAtUs < state.startUs || chargedAtUs >= state.endUs) return state;
  return { ...state, used: Math.max(0, state.used - amount) };
}

export function showWindow(
  limit: number,
  state: WindowState,
  amount: number,
  nowUs: number,
): Shown {
  return {
    used: state.used,
    remaining: Math.max(0, limit - state.used),
    resetAtUs: state.endUs,
    fitsAtUs: windowAdmits(limit, state, amount) ? nowUs : state.endUs,
  };
}
