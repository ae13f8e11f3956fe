import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

export type PaceOptions = {
  /** Whether callers have this process busy, most of the time since it was last asked. */
  readonly isBusy?: () => boolean;
};

/** So that all of it together takes a fiftieth of the time, and a tenth where nobody needs it. */
const restsPerWork = { busy: 49, idle: 9 } as const;
/** What once took long, for a database that stood still, is not made up for by hours. */
const restMsMax = 30_000;

/** Lets long work that nobody waits for go on in parts, beside what callers wait for. */
export class Pace {
  readonly #isBusy: () => boolean;
  readonly #hurried = new AbortController();
  #endMs = Number.POSITIVE_INFINITY;
  /** Until then all who share this pace have rested. */
  #restedMs = 0;

  constructor({ isBusy = watchLoop() }: PaceOptions = {}) {
    this.#isBusy = isBusy;
  }

  /** After a part. False when somebody waits for the end. */
  async rest(workedMs: number): Promise<boolean> {
    const { signal } = this.#hurried;
    const nowMs = performance.now();
    const { busy, idle } = restsPerWork;
    const restMs = Math.min(restMsMax, workedMs * (this.#isBusy() ? busy : idle));
    this.#restedMs = Math.max(nowMs, this.#restedMs) + restMs;
    await sleep(this.#restedMs - nowMs, undefined, { signal, ref: false }).catch(() => {});
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

const busyFrom = 0.5;

function watchLoop(): () => boolean {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization >= busyFrom;
  };
}
