import { StoreFailure } from '../../core/errors.ts';

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

  /**
   * The work goes on unobserved when it is late: what it did is unknown, and never done again.
   * `onFailure` hears of work that was late or failed, before the caller does.
   */
  run<T>(work: Promise<T>, onFailure?: (error: Error) => void): Promise<T> {
    return new Promise((resolve, fail) => {
      const reject = onFailure
        ? (error: Error) => {
            onFailure(error);
            fail(error);
          }
        : fail;
      const waiting: Waiting = { dueMs: performance.now() + this.#afterMs, reject };
      this.#waiting.add(waiting);
      if (!this.#ticking) this.#tick(this.#afterMs);
      work.then(
        (value) => {
          this.#waiting.delete(waiting);
          return resolve(value);
        },
        (error: Error) => {
          this.#waiting.delete(waiting);
          return reject(error);
        },
      );
    });
  }

  #tick(ms: number): void {
    this.#ticking = true;
    setTimeout(() => this.#expire(), ms).unref();
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
      waiting.reject(new StoreFailure(`no answer within ${this.#afterMs} ms`));
    }
  }
}

type Waiting = { readonly dueMs: number; readonly reject: (error: Error) => void };
