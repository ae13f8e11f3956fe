import { freshWindow, loadWindow, windowAlgorithm } from './window.ts';

export type FixedWindowNumbers = {
  readonly limit: number;
  readonly windowUs: number;
  /** `clock`: multiples of the window since the Unix epoch; `first_request`: from the first call. */
  readonly align: 'clock' | 'first_request';
};

/** A window that was configured shorter meanwhile is over earlier. */
export const fixedWindow = windowAlgorithm<FixedWindowNumbers>((numbers, stored, nowUs) => {
  const endUs = stored ? Math.min(stored.endUs, stored.startUs + numbers.windowUs) : 0;
  const running = loadWindow(stored, endUs, nowUs);
  if (running) return running;
  const startUs = numbers.align === 'clock' ? nowUs - (nowUs % numbers.windowUs) : nowUs;
  return freshWindow({ startUs, endUs: startUs + numbers.windowUs });
});
