import { StoreFailure } from '../../core/errors.ts';

export type Watch = {
  /** Hears of work that was late or failed, before the caller does; returns what the caller is told. */
  readonly onFailure?: (error: Error) => Error;
  /** Hears of work that was done in time. */
  readonly onSuccess?: () => void;
};

/**
 * A hard end for calls to a store: whatever it does, the caller gets an answer in time. All calls
 * wait equally long, so the oldest is due first and one timer is enough; there is none per call.
 */
export class Deadline {
  readonly #afterMs: number;
  readonly #waiting = new Set<Waiting>();
  #ticking = false;

  constructor(afterMs: number) {
    this.#afterMs = afterMs;
  }

  /** The work goes on unobserved when it is late: what it did is unknown, and never done again. */
  run<T>(work: Promise<T>, { onFailure, onSuccess }: Watch = {}): Promise<T> {
    return new Promise((resolve, fail) => {
      const waiting: Waiting = {
        dueMs: performance.now() + this.#afterMs,
        reject: onFailure ? (error) => fail(onFailure(error)) : fail,
      };
      this.#waiting.add(waiting);
      if (!this.#ticking) this.#tick(this.#afterMs);
      work.then(
        (value) => {
          if (this.#waiting.delete(waiting)) onSuccess?.();
          return resolve(value);
        },
        (error: Error) => {
          if (this.#waiting.delete(waiting)) waiting.reject(error);
        },
      );
    });
  }

  #tick(ms: number): void {
    this.#ticking = true;
    // Answers that came while this process was held up are read first: they were in time.
    setTimeout(() => setImmediate(() => this.#expire()), ms).unref();
  }

  #expire(): void {
    this.#ticking = false;
    const nowMs = performance.now();
    for (const waiting of this.#waiting) {
      if (waiting.dueMs > nowMs) {
        this.#tick(waiting.dueMs - nowMs);
        return;
      }
      this.#waiting.delete(waiting);
      waiting.reject(new StoreFailure('timeout'));
    }
  }
}

type Waiting = { readonly dueMs: number; readonly reject: (error: Error) => void };
