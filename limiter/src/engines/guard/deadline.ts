import { StoreFailure } from '../../core/errors.ts';

export type Watch = {
  /** Hears of work that was late or failed, before the caller does; returns what the caller is told. */
  readonly onFailure?: (error: Error) => Error;
  /** Hears of work that was done in time. */
  readonly onSuccess?: () => void;
};

/** Why a call failed that was late. */
export const timeout = 'timeout';

/**
 * A hard end for calls to a store: whatever it does, the caller gets an answer in time. All calls
 * wait equally long, so the oldest is due first and one timer is enough; there is none per call.
 */
export class Deadline {
  readonly #afterMs: number;
  readonly #waiting = new Waiting();
  #ticking = false;

  constructor(afterMs: number) {
    this.#afterMs = afterMs;
  }

  /** The work goes on unobserved when it is late: what it did is unknown, and never done again. */
  run<T>(work: Promise<T>, { onFailure, onSuccess }: Watch = {}): Promise<T> {
    return new Promise((resolve, fail) => {
      const call: Call = {
        dueMs: performance.now() + this.#afterMs,
        reject: onFailure ? (error) => fail(onFailure(error)) : fail,
      };
      this.#waiting.add(call);
      if (!this.#ticking) this.#tick(this.#afterMs);
      work.then(
        (value) => {
          if (this.#waiting.end(call)) onSuccess?.();
          return resolve(value);
        },
        (error: Error) => this.#waiting.end(call)?.(error),
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
    for (;;) {
      const oldest = this.#waiting.oldest();
      if (!oldest) return;
      if (oldest.dueMs > nowMs) return this.#tick(oldest.dueMs - nowMs);
      this.#waiting.end(oldest)?.(new StoreFailure(timeout));
    }
  }
}

/** `reject` is null once it has ended. */
type Call = { readonly dueMs: number; reject: ((error: Error) => void) | null };

/**
 * Calls in the order in which they are due. A list and no `Set`: of one that much is added to and
 * taken from, old copies are left behind that keep what was in them from being collected, and with
 * each call all that it was answered.
 */
class Waiting {
  #calls: Call[] = [];
  #first = 0;

  add(call: Call): void {
    this.#calls.push(call);
  }

  /** Whom to tell if it failed; null where it has ended before. */
  end(call: Call): Call['reject'] {
    const { reject } = call;
    call.reject = null;
    this.oldest();
    return reject;
  }

  /** Of those that have not ended. */
  oldest(): Call | undefined {
    const calls = this.#calls;
    while (calls[this.#first]?.reject === null) this.#first += 1;
    if (this.#first === calls.length) {
      calls.length = 0;
      this.#first = 0;
    } else if (this.#first >= keptMax) {
      calls.splice(0, this.#first);
      this.#first = 0;
    }
    return calls[this.#first];
  }
}

/** Ended calls at the front of the list that are worth taking out. */
const keptMax = 1024;
