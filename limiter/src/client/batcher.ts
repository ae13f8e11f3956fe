import { decisionFromWire, type WireCheck, type WireDecision } from '../contract/index.ts';
import { CapacityFull, StoreFailure } from '../core/errors.ts';
import type { DecisionView } from '../core/limiter-port.ts';
import { Breaker } from '../engines/guard/breaker.ts';
import { errorOf, isProblem, type Transport } from './transport.ts';

type Asked = {
  readonly check: WireCheck;
  readonly resolve: (decision: DecisionView) => void;
  readonly reject: (error: unknown) => void;
};

const perCallMax = 100;
const inFlightMax = 64;
const waitingMax = 10_000;

const soon: (work: () => void) => unknown =
  typeof setImmediate === 'function' ? setImmediate : (work) => setTimeout(work, 0);

/**
 * Checks of one turn of the event loop travel together; nobody waits for company. At most so many
 * calls are under way, and a service that does not answer is not asked for a while.
 */
export class Batcher {
  readonly #transport: Transport;
  readonly #waiting = new Map<string, Asked[]>();
  readonly #breaker: Breaker;
  #count = 0;
  #inFlight = 0;
  #isScheduled = false;

  constructor(transport: Transport, breaker = new Breaker()) {
    this.#transport = transport;
    this.#breaker = breaker;
  }

  ask(apiKey: string, check: WireCheck): Promise<DecisionView> {
    if (this.#count >= waitingMax) return Promise.reject(new CapacityFull());
    this.#count += 1;
    return new Promise((resolve, reject) => {
      const asked = this.#waiting.get(apiKey);
      if (asked) asked.push({ check, resolve, reject });
      else this.#waiting.set(apiKey, [{ check, resolve, reject }]);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#inFlight >= inFlightMax) return;
    this.#isScheduled = true;
    soon(() => {
      this.#isScheduled = false;
      this.#send();
    });
  }

  #send(): void {
    for (const [apiKey, asked] of this.#waiting) {
      while (asked.length > 0 && this.#inFlight < inFlightMax) {
        const together = asked.splice(0, perCallMax);
        this.#count -= together.length;
        void this.#call(apiKey, together);
      }
      if (asked.length > 0) return;
      this.#waiting.delete(apiKey);
    }
  }

  async #call(apiKey: string, together: readonly Asked[]): Promise<void> {
    const pass = this.#breaker.admit();
    if (pass === null) return fail(together, new StoreFailure('breaker_open'));
    this.#inFlight += 1;
    try {
      const answers = await this.#post(apiKey, together);
      this.#breaker.succeeded(pass);
      together.forEach((asked, at) => answer(asked, answers[at]));
    } catch (error) {
      // What is wrong with the question says that the service is well.
      if (!isOutage(error)) this.#breaker.succeeded(pass);
      else this.#breaker.failed(pass, { isTimeout: error.reason === 'unreachable' });
      fail(together, error);
    } finally {
      this.#inFlight -= 1;
      if (this.#waiting.size > 0) this.#schedule();
    }
  }

  async #post(apiKey: string, together: readonly Asked[]): Promise<readonly unknown[]> {
    const [first] = together;
    if (first && together.length === 1) {
      return [await this.#transport.post('/v1/check', apiKey, first.check)];
    }
    const checks = together.map(({ check }) => check);
    const answers = await this.#transport.post('/v1/checks', apiKey, { checks });
    if (Array.isArray(answers) && answers.length === checks.length) return answers;
    throw new StoreFailure('unreadable');
  }
}

function answer({ resolve, reject }: Asked, said: unknown): void {
  if (isProblem(said)) return reject(errorOf(said, said.status));
  try {
    resolve(decisionFromWire(said as WireDecision));
  } catch (error) {
    reject(new StoreFailure('unreadable', error));
  }
}

function fail(together: readonly Asked[], error: unknown): void {
  for (const { reject } of together) reject(error);
}

const outages = /^(unreachable|unreadable|unavailable|http_5\d\d)$/;

function isOutage(error: unknown): error is StoreFailure {
  return error instanceof StoreFailure && outages.test(error.reason);
}
