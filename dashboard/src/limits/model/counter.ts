import {
  blockedUntilUs,
  strike,
  takeSlot,
  type ConcurrencyState,
  type Limit,
  type PenaltyState,
  type Reading,
  type Verdict,
} from 'sluice/core';

/** One counter of a limit, in this page: it decides by the arithmetic that the service decides by. */
export class Counter {
  readonly limit: Limit;
  /** How long an open call keeps its slot. */
  readonly #callUs: number;
  #state: object | undefined;
  #penalty: PenaltyState | undefined;
  #verdict: Verdict = 'ok';

  constructor(limit: Limit, callUs = Number.POSITIVE_INFINITY) {
    this.limit = limit;
    this.#callUs = callUs;
  }

  /** So many calls at one instant, each of cost 1: how many are let through. */
  ask(calls: number, nowUs: number): number {
    const blocked = this.#blocked(nowUs);
    const admitted = blocked ? 0 : this.#fitting(calls, nowUs);
    if (admitted > 0) this.#take(admitted, nowUs);
    this.#verdict = blocked ? 'penalty' : admitted < calls ? 'exceeded' : 'ok';
    if (this.#verdict === 'exceeded' && this.limit.penalty) {
      this.#penalty = strike(this.limit.penalty, this.#penalty, nowUs);
    }
    return admitted;
  }

  /** Whether another call would be let through. */
  admits(nowUs: number): boolean {
    return !this.#blocked(nowUs) && this.#fitting(1, nowUs) === 1;
  }

  remaining(nowUs: number): number {
    if (this.#blocked(nowUs)) return 0;
    const { algorithm, numbers } = this.limit;
    return algorithm.show(numbers, this.reading(nowUs).state, 1, nowUs).remaining;
  }

  /** As a decision rests on it. */
  reading(nowUs: number): Reading {
    const { algorithm, numbers } = this.limit;
    return {
      verdict: this.#verdict,
      state: algorithm.read(numbers, this.#load(nowUs), 1, nowUs),
      held: 0,
      heldUntilUs: 0,
      blockedUntilUs: blockedUntilUs(this.#penalty, nowUs),
    };
  }

  #blocked(nowUs: number): boolean {
    return blockedUntilUs(this.#penalty, nowUs) > 0;
  }

  #load(nowUs: number): object {
    return (this.#state = this.limit.algorithm.load(this.limit.numbers, this.#state, nowUs));
  }

  /** The most that are admitted together; as they come one by one, the first so many are. */
  #fitting(calls: number, nowUs: number): number {
    const { algorithm, numbers, size } = this.limit;
    const state = this.#load(nowUs);
    if (numbers.algorithm === 'concurrency') return Math.min(calls, this.#free(nowUs));
    let [fits, over] = [0, Math.min(calls, size) + 1];
    while (over - fits > 1) {
      const middle = Math.floor((fits + over) / 2);
      if (algorithm.admits(numbers, state, middle, nowUs)) fits = middle;
      else over = middle;
    }
    return fits;
  }

  #free(nowUs: number): number {
    const { algorithm, numbers } = this.limit;
    const reading = algorithm.read(numbers, this.#load(nowUs), 1, nowUs);
    return algorithm.show(numbers, reading, 1, nowUs).remaining;
  }

  #take(calls: number, nowUs: number): void {
    const { algorithm, numbers } = this.limit;
    const state = this.#load(nowUs);
    if (numbers.algorithm !== 'concurrency') {
      this.#state = algorithm.charge(numbers, state, calls, nowUs);
      return;
    }
    const expiresAtUs = nowUs + Math.min(this.#callUs, numbers.staleAfterUs);
    for (let call = 0; call < calls; call += 1) {
      takeSlot(state as ConcurrencyState, { id: '', expiresAtUs }, nowUs);
    }
  }
}
