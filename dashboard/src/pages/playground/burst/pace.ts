import type { BurstSettings } from './settings.ts';

/**
 * Sends as many as asked for, no more of them at once than asked for, and none before its time.
 * `call` resolves when the call is done with, and the next may take its place.
 */
export async function paceCalls(
  { size, perSecond, atOnce }: Pick<BurstSettings, 'size' | 'perSecond' | 'atOnce'>,
  call: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const gapMs = perSecond === 0 ? 0 : 1000 / perSecond;
  const startMs = performance.now();
  let next = 0;
  const work = async () => {
    while (next < size && !signal.aborted) {
      const dueMs = startMs + next * gapMs;
      next += 1;
      await sleep(dueMs - performance.now(), signal);
      if (!signal.aborted) await call();
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, size) }, work));
}

/** Shorter when it is called off. */
export function sleep(durationMs: number, signal: AbortSignal): Promise<void> {
  if (durationMs <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(done, durationMs);
    signal.addEventListener('abort', done, { once: true });
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}
