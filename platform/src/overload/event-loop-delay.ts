export type EventLoopDelayOptions = {
  /** Told, some ten times a second, by how much the event loop is late all the time. */
  readonly onDelay: (standingMs: number) => void;
  readonly nowMs?: () => number;
};

const sampleEveryMs = 10;
const intervalMs = 100;
const samplesMin = 2;

/**
 * How long what is ready waits for its turn. Told is the least of an interval: one long task, or a
 * collection of garbage, makes one sample late; a queue that does not empty makes all of them late.
 */
export class EventLoopDelay {
  readonly #onDelay: (standingMs: number) => void;
  readonly #nowMs: () => number;
  #timer: NodeJS.Timeout | undefined;
  #samples = 0;
  #leastMs = Number.POSITIVE_INFINITY;
  #sinceMs = 0;

  constructor({ onDelay, nowMs = () => performance.now() }: EventLoopDelayOptions) {
    this.#onDelay = onDelay;
    this.#nowMs = nowMs;
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
    const standingMs = this.#leastMs;
    this.#samples = 0;
    this.#leastMs = Number.POSITIVE_INFINITY;
    this.#sinceMs = nowMs;
    this.#onDelay(standingMs);
  }
}
