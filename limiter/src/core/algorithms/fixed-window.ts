import type { Algorithm } from './algorithm.ts';
import {
  chargeWindow,
  freshWindow,
  loadWindow,
  refundWindow,
  showWindow,
  windowAdmits,
  type WindowState,
} from './window.ts';

export type FixedWindowNumbers = {
  readonly limit: number;
  readonly windowUs: number;
  /** `clock`: multiples of the window since the Unix epoch; `first_request`: from the first call. */
  readonly align: 'clock' | 'first_request';
};

export const fixedWindow: Algorithm<FixedWindowNumbers, WindowState, WindowState> = {
  sizeOf: (numbers) => numbers.limit,

  /** A window that was configured shorter meanwhile is over earlier. */
  load(numbers, stored, nowUs) {
    const endUs = stored ? Math.min(stored.endUs, stored.startUs + numbers.windowUs) : 0;
    const running = loadWindow(stored, endUs, nowUs);
    if (running) return running;
    const startUs = numbers.align === 'clock' ? nowUs - (nowUs % numbers.windowUs) : nowUs;
    return freshWindow({ startUs, endUs: startUs + numbers.windowUs });
  },

  admits: (numbers, state, amount) => windowAdmits(numbers.limit, state, amount),
  charge: (numbers, state, amount) => chargeWindow(numbers.limit, state, amount),
  refund: (_numbers, state, refund) => refundWindow(state, refund),
  expiresAtUs: (_numbers, state) => state.endUs,
  recoveryUs: () => null,
  read: (_numbers, state) => state,
  show: (numbers, state, amount, nowUs) => showWindow(numbers.limit, state, amount, nowUs),
};
