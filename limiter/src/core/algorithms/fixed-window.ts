import { freshWindow, loadWindow, windowAlgorithm } from './window.ts';

export type FixedWindowNumbers = {
  readonly limit: number;
  readonly windowUs: number;
  /** `clock`: multiples of the window since the Unix epoch; `first_request`: from the first call. */
  readonly align: 'clock' | 'first_request';
};

/**
 * A window that was configured shorter meanwhile is over earlier, and one that was configured longer
 * begins where it ended: no window ever begins where another one did.
 */
export const fixedWindow = windowAlgorithm<FixedWindowNumbers>((numbers, stored, nowUs) => {
  const endUs = stored ? Math.min(stored.endUs, stored.startUs + numbers.windowUs) : 0;
  const running = loadWindow(stored, endUs, nowUs);
  if (running) return running;
  if (numbers.align === 'first_request') {
    return freshWindow({ startUs: nowUs, endUs: nowUs + numbers.windowUs });
  }
  const alignedUs = nowUs - (nowUs % numbers.windowUs);
  return freshWindow({
    startUs: Math.max(alignedUs, endUs),
    endUs: alignedUs + numbers.windowUs,
  });
});
