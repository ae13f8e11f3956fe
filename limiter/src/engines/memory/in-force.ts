import type { Numbers, Opaque } from '../../core/algorithms/index.ts';
import type { SlidingWindowCounterState } from '../../core/algorithms/sliding-window-counter.ts';
import type { SlidingWindowLogState } from '../../core/algorithms/sliding-window-log.ts';
import type { WindowState } from '../../core/algorithms/window.ts';
import type { BoundLimit } from '../../core/engine.ts';
import type { Cell } from './cells.ts';
import type { Desk } from './desk.ts';

/**
 * A reservation or a charge is remembered with the numbers of its time. What is done to a counter
 * later goes by those in force: as it says itself, or as far as its state tells.
 */
export function inForce({ cells }: Desk, bound: BoundLimit, cell: Cell): BoundLimit {
  const { limit } = bound;
  const force = cells.extrasOf(cell)?.holds?.inForce;
  if (force) return { ...bound, limit: force };
  const state = cells.stateOf(cell, limit);
  const numbers = state && inForceBy(limit.numbers, state);
  return numbers ? { ...bound, limit: { ...limit, numbers } } : bound;
}

function inForceBy(numbers: Numbers, state: Opaque): Numbers | undefined {
  if (numbers.algorithm === 'fixed_window') {
    // One that was made longer meanwhile is not over yet.
    const { startUs, endUs } = state as WindowState;
    return { ...numbers, windowUs: Math.max(numbers.windowUs, endUs - startUs) };
  }
  if (numbers.algorithm === 'sliding_window_counter') {
    return { ...numbers, windowUs: (state as SlidingWindowCounterState).windowUs };
  }
  if (numbers.algorithm === 'sliding_window_log') {
    // What a longer one still counts must not be forgotten.
    const { windowUs } = state as SlidingWindowLogState;
    return { ...numbers, windowUs: Math.max(numbers.windowUs, windowUs) };
  }
  return undefined;
}
