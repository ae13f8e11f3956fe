import type { TenantRef } from 'sluice/core';

export type FreshnessParts = {
  /** Writes what this node counted. False when the store did not take all of it. */
  readonly flush: () => Promise<boolean>;
  readonly drain: (tenant: TenantRef) => Promise<void>;
};

/** What other nodes count by themselves, they write every second. */
const othersWriteWithinMs = 2000;
/** Whoever asks again and again is shown what was there a moment ago. */
const againAfterMs = 1000;
const rememberedMax = 10_000;
/** Each holds a connection of the database, as long as the store takes to answer. */
const movesAtOnceMax = 4;

/** Moves a tenant's ledger before it is shown, so that it shows the calls just made. */
export class Freshness {
  readonly #parts: FreshnessParts;
  readonly #recent = new Map<
    string,
    { readonly atMs: number; readonly until: Promise<Date | null> }
  >();
  #moves = 0;

  constructor(parts: FreshnessParts) {
    this.#parts = parts;
  }

  /** Until when all counts are there; null when the store can't be asked, or too many want to. */
  of(tenant: TenantRef): Promise<Date | null> {
    const atMs = Date.now();
    const recent = this.#recent.get(tenant.id);
    if (recent && atMs - recent.atMs < againAfterMs) return recent.until;
    if (this.#recent.size >= rememberedMax) this.#recent.clear();
    const until = this.#move(tenant, atMs);
    this.#recent.set(tenant.id, { atMs, until });
    return until;
  }

  async #move(tenant: TenantRef, atMs: number): Promise<Date | null> {
    if (this.#moves >= movesAtOnceMax) return null;
    this.#moves += 1;
    try {
      const isWritten = await this.#parts.flush();
      await this.#parts.drain(tenant);
      return isWritten ? new Date(atMs - othersWriteWithinMs) : null;
    } catch {
      return null;
    } finally {
      this.#moves -= 1;
    }
  }
}
