import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

export type PaceOptions = {
  /** Of the time since it was last asked, the share that this process was busy, from 0 to 1. */
  readonly busyShare?: () => number;
};

/** So that all of it together takes a fiftieth of the time, and a tenth where nobody needs it. */
const restsPerWork = { busy: 49, idle: 9 } as const;
/** On average: who is called in bursts is busy while they last, which is when callers wait. */
const busyFrom = 0.25;
/** What once took long, for a database that stood still, is not made up for by hours. */
const restMsMax = 30_000;

/** Lets long work that nobody waits for go on in parts, beside what callers wait for. */
export class Pace {
  readonly #busyShare: () => number;
  readonly #hurried = new AbortController();
  #endMs = Number.POSITIVE_INFINITY;
  /** Until then all who share this pace have rested. */
  #restedMs = 0;

  constructor({ busyShare = watchLoop() }: PaceOptions = {}) {
    this.#busyShare = busyShare;
  }

  /** After a part. False when somebody waits for the end. */
  async rest(workedMs: number): Promise<boolean> {
    const { signal } = this.#hurried;
    const nowMs = performance.now();
    const { busy, idle } = restsPerWork;
    const rests = this.#busyShare() >= busyFrom ? busy : idle;
    const restMs = Math.min(restMsMax, workedMs * rests);
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

function watchLoop(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
