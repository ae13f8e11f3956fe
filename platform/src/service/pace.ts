import { setTimeout as sleep } from 'node:timers/promises';

/** So that all of it takes a twentieth of the time at the most. */
const restsPerWork = 19;
const restMsMax = 2000;

/** Lets long work that nobody waits for go on in parts, beside what callers wait for. */
export class Pace {
  readonly #hurried = new AbortController();
  #endMs = Number.POSITIVE_INFINITY;

  /** After a part. False when somebody waits for the end. */
  async rest(workedMs: number): Promise<boolean> {
    const { signal } = this.#hurried;
    const restMs = Math.min(restMsMax, workedMs * restsPerWork);
    await sleep(restMs, undefined, { signal, ref: false }).catch(() => {});
    return !signal.aborted;
  }

  /** Somebody waits for it now: no more rests, and for no longer than this. */
  hurry(withinMs: number): void {
    this.#endMs = performance.now() + withinMs;
    this.#hurried.abort();
  }

  /** What is not done by now is left. */
  get isOver(): boolean {
    return performance.now() >= this.#endMs;
  }
}
