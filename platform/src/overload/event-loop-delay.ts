import { performance, type EventLoopUtilization } from 'node:perf_hooks';

export type EventLoopDelayOptions = {
  /** Told, some ten times a second, by how much the event loop is late all the time. */
  readonly onDelay: (standingMs: number) => void;
  readonly nowMs?: () => number;
  /** The part of the time since it was last asked that the loop had something to do. */
  readonly busyPart?: () => number;
};

const sampleEveryMs = 10;
const intervalMs = 100;
const samplesMin = 2;
/** A loop that rests longer is not late for want of time to do all that is asked of it. */
const busyMin = 0.9;

/**
 * How long what is ready waits for its turn. Told is the least of an interval: one long task, or a
 * collection of garbage, makes one sample late; a queue that does not empty makes all of them late.
 * And none is told of a loop that rests in between: then the machine is late, and to refuse somebody
 * here would not help anybody.
 */
export class EventLoopDelay {
  readonly #onDelay: (standingMs: number) => void;
  readonly #nowMs: () => number;
  readonly #busyPart: () => number;
  #timer: NodeJS.Timeout | undefined;
  #samples = 0;
  #leastMs = Number.POSITIVE_INFINITY;
  #sinceMs = 0;

  constructor(options: EventLoopDelayOptions) {
    this.#onDelay = options.onDelay;
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#busyPart = options.busyPart ?? measureBusyPart();
  }

  start(): void {
    this.#sinceMs = this.#nowMs();
    this.#plan();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #plan(): void {
    const dueMs = this.#nowMs() + sampleEveryMs;
    this.#timer = setTimeout(() => {
      this.#sample(Math.max(0, this.#nowMs() - dueMs));
      this.#plan();
    }, sampleEveryMs).unref();
  }

  #sample(lateMs: number): void {
    this.#samples += 1;
    this.#leastMs = Math.min(this.#leastMs, lateMs);
    const nowMs = this.#nowMs();
    if (this.#samples < samplesMin || nowMs - this.#sinceMs < intervalMs) return;
    const standingMs = this.#busyPart() < busyMin ? 0 : this.#leastMs;
    this.#samples = 0;
    this.#leastMs = Number.POSITIVE_INFINITY;
    this.#sinceMs = nowMs;
    this.#onDelay(standingMs);
  }
}

function measureBusyPart(): () => number {
  let last: EventLoopUtilization = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
