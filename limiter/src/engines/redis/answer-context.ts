import type { BoundLimit, Question, TenantRef } from '../../core/engine.ts';
import type { AnswerContext } from './decode.ts';
import { overflowBound } from './encode.ts';
import type { Keys } from './keys.ts';
import { ticketOf } from './tickets.ts';

/**
 * What the answers to one call are read with. There is one for each call, and of many tenants each has
 * its own: so no function is made for it.
 */
export class CallContext implements AnswerContext {
  readonly nowUs: number;
  readonly #keys: Keys;
  readonly #tenant: TenantRef;
  /** Counters that newcomers share: of nearly all calls none. */
  readonly #overflowing: ReadonlySet<string> | undefined;

  constructor(
    nowUs: number,
    keys: Keys,
    tenant: TenantRef,
    overflowing: ReadonlySet<string> | undefined,
  ) {
    this.nowUs = nowUs;
    this.#keys = keys;
    this.#tenant = tenant;
    this.#overflowing = overflowing;
  }

  hasOverflowed({ limits }: Question): boolean {
    return this.#overflowing !== undefined && limits.some((bound) => this.#isShared(bound));
  }

  ticketOf(limits: readonly BoundLimit[], id: string): string | null {
    const counted = limits.map((bound) => this.counted(bound));
    return ticketOf(this.#keys, this.#tenant, { id, limits: counted });
  }

  /** The limit asked about, or its overflow counter where that was asked instead. */
  counted(bound: BoundLimit): BoundLimit {
    return this.#isShared(bound) ? overflowBound(bound) : bound;
  }

  #isShared(bound: BoundLimit): boolean {
    if (!this.#overflowing) return false;
    return this.#overflowing.has(this.#keys.counterOf(this.#keys.tenant(this.#tenant), bound));
  }
}
