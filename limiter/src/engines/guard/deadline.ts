import { StoreFailure } from '../../core/errors.ts';

type Waiting = { readonly dueMs: number; reject: ((error: Error) => void) | null };

/**
 * A hard end for calls to a store: whatever it does, the caller gets an answer in time. All calls
 * wait equally long, so one timer for the oldest is enough; there is none per call.
 */
export class Deadline {
  readonly #afterMs: number;
  #waiting: Waiting[] = [];
  #ticking = false;

  constructor(afterMs: number) {
    this.#afterMs = afterMs;
  }

  /** The work goes on unobserved when it is late: what it did is unknown, and never done again. */
  async run<T>(work: Promise<T>): Promise<T> {
    const waiting: Waiting = { dueMs: performance.now() + this.#afterMs, reject: null };
    const late = new Promise<never>((_resolve, reject) => {
      waiting.reject = reject;
    });
    this.#waiting.push(waiting);
    if (!this.#ticking) this.#startTimer(this.#afterMs);
    try {
      return await Promise.race([work, late]);
    } finally {
      waiting.reject = null;
    }
  }

  #startTimer(ms: number): void {
    this.#ticking = true;
    setTimeout(() => this.#expire(), ms).unref();
  }

  #expire(): void {
    const nowMs = performance.now();
    const open = this.#waiting.filter(({ reject }) => reject !== null);
    const late = open.filter(({ dueMs }) => dueMs <= nowMs);
    this.#waiting = open.slice(late.length);
    const [oldest] = this.#waiting;
    this.#ticking = false;
    if (oldest) this.#startTimer(Math.max(1, oldest.dueMs - nowMs));
    for (const { reject } of late) {
      reject?.(new StoreFailure(`no answer within ${this.#afterMs} ms`));
    }
  }
}
