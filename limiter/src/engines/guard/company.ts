import type { DecideCall, DecideResult, Tell } from '../../core/engine.ts';
import { StoreFailure } from '../../core/errors.ts';
import type { Standing } from '../../core/known-tenant.ts';

/** Calls that go, and are waited for, together. Each is told of once: what comes later is too late. */
export class Company {
  readonly calls: DecideCall[] = [];
  /** Where they stand at the gate. */
  readonly standings: Standing[] = [];
  /** What they are among all that were asked. */
  readonly #numbers: number[] = [];
  readonly #isTold: boolean[] = [];
  readonly #tell: Tell;
  /** Hears of a call that failed, before its caller does. */
  onFailure: (call: DecideCall, failure: StoreFailure) => void = () => {};
  #answered = 0;

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  add(number: number, call: DecideCall, standing: Standing): void {
    this.#numbers.push(number);
    this.calls.push(call);
    this.standings.push(standing);
    this.#isTold.push(false);
  }

  readonly tell = (at: number, result: DecideResult | StoreFailure): void => {
    if (this.#isTold[at] !== false) return;
    this.#isTold[at] = true;
    if (result instanceof StoreFailure) this.onFailure(this.calls[at] as DecideCall, result);
    else this.#answered += 1;
    this.#tell(this.#numbers[at] as number, result);
  };

  get isAllTold(): boolean {
    return !this.#isTold.includes(false);
  }

  /** How many the store answered. */
  get answered(): number {
    return this.#answered;
  }

  /** Of all who were not told of. */
  tellRest(failure: StoreFailure): void {
    for (let at = 0; at < this.calls.length; at += 1) this.tell(at, failure);
  }
}
