import type { TenantRef } from '../../core/engine.ts';
import { CapacityFull } from '../../core/errors.ts';
import type { Standing } from '../../core/known-tenant.ts';
import type { Gate } from './gate.ts';

/** One call on its way through the gate. */
export class Visit<T> {
  readonly #gate: Gate;
  readonly #tenant: TenantRef;
  readonly #ask: () => Promise<T>;
  #waiting: { readonly at: Standing; readonly go: (standing: Standing) => void } | null = null;

  constructor(gate: Gate, tenant: TenantRef, ask: () => Promise<T>) {
    this.#gate = gate;
    this.#tenant = tenant;
    this.#ask = ask;
  }

  /** Past the gate. */
  pass(): Promise<T> {
    return this.#asked();
  }

  /** At once where there is room, else in turn. */
  enter(): Promise<T> {
    const free = this.#gate.enter(this.#tenant);
    if (free) return this.#send(free);
    return new Promise((resolve, reject) => {
      const go = (standing: Standing) => {
        this.#waiting = null;
        this.#send(standing).then(resolve, reject);
      };
      const at = this.#gate.wait(this.#tenant, go);
      if (at) this.#waiting = { at, go };
      else reject(new CapacityFull());
    });
  }

  /** Whether it had not gone yet; then it never will. */
  cancel(): boolean {
    if (!this.#waiting) return false;
    this.#gate.cancel(this.#waiting.at, this.#waiting.go);
    this.#waiting = null;
    return true;
  }

  /** Its room is free when the store has answered, or its connection is given up: not before. */
  #send(standing: Standing): Promise<T> {
    const leave = () => this.#gate.leave(standing);
    const work = this.#asked();
    work.then(leave, leave);
    return work;
  }

  /** What is thrown at once is an outcome like any other: who waits for one must hear of it. */
  #asked(): Promise<T> {
    try {
      return this.#ask();
    } catch (error) {
      return Promise.reject(error);
    }
  }
}
