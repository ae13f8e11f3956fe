import type { DecideCall, DecideResult, Tell } from '../../core/engine.ts';
import { StoreFailure } from '../../core/errors.ts';

type Hears = {
  readonly tell: Tell;
  /** These hear of each call before its caller does. */
  readonly onSuccess: () => void;
  readonly onFailure: (call: DecideCall, failure: StoreFailure) => void;
};

/** Calls that go, and are waited for, together. Each is told of once: what comes later is too late. */
export class Company {
  readonly calls: readonly DecideCall[];
  readonly #hears: Hears;
  readonly #isTold: boolean[];

  constructor(calls: readonly DecideCall[], hears: Hears) {
    this.calls = calls;
    this.#hears = hears;
    this.#isTold = calls.map(() => false);
  }

  readonly tell = (at: number, result: DecideResult | StoreFailure): void => {
    if (this.#isTold[at] !== false) return;
    this.#isTold[at] = true;
    const { tell, onSuccess, onFailure } = this.#hears;
    if (result instanceof StoreFailure) onFailure(this.calls[at] as DecideCall, result);
    else onSuccess();
    tell(at, result);
  };

  get isAllTold(): boolean {
    return !this.#isTold.includes(false);
  }

  /** Of all who were not told of. */
  tellRest(failure: StoreFailure): void {
    for (let at = 0; at < this.calls.length; at += 1) this.tell(at, failure);
  }
}
