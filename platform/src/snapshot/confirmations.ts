import type { Snapshot } from './snapshot.ts';
import type { TenantSource } from './source.ts';

/** The database is asked every second. While it answers, nothing else needs to be remembered. */
const freshMs = 2000;

/**
 * When it was last certain that what this node knows of a tenant and its keys is current: when the
 * database told what had changed, or the tenant's store compared its epoch. A store that was away is
 * no witness until the database was heard again, nor is one that only repeats what we told it.
 */
export class Confirmations {
  readonly #nowMs: () => number;
  #heardAtMs = Number.NEGATIVE_INFINITY;
  /** Since the database was last heard. */
  readonly #doubted = new Map<string | undefined, number>();
  readonly #toldByUs = new WeakMap<TenantSource, number>();
  readonly #answeredAtMs = new WeakMap<TenantSource, number>();

  constructor({ nowMs = () => performance.now() }: { readonly nowMs?: () => number } = {}) {
    this.#nowMs = nowMs;
  }

  /** The database told all that had changed when it was asked. */
  heard(askedAtMs: number): void {
    this.#heardAtMs = Math.max(this.#heardAtMs, askedAtMs);
    for (const [place, sinceMs] of this.#doubted) {
      if (sinceMs <= this.#heardAtMs) this.#doubted.delete(place);
    }
  }

  /** The store of this place was lost, or is there again. */
  doubt(place: string | undefined): void {
    this.#doubted.set(place, this.#nowMs());
  }

  /** A store that had forgotten was told what we know, for the database could not be asked. */
  toldByUs({ tenant }: Snapshot): void {
    this.#toldByUs.set(tenant, this.#nowMs());
  }

  /** Whether the database answered just now: as nearly always, and then all else does not matter. */
  get areFresh(): boolean {
    return this.#nowMs() - this.#heardAtMs < freshMs;
  }

  /** Whether an answer of its store says that the tenant's snapshot is current. */
  isWitness({ tenant, ref }: Snapshot): boolean {
    if (this.#doubted.has(ref.place)) return false;
    const toldAtMs = this.#toldByUs.get(tenant);
    return toldAtMs === undefined || toldAtMs <= this.#heardAtMs;
  }

  /** Its store, being a witness, answered. */
  answered({ tenant }: Snapshot): void {
    this.#answeredAtMs.set(tenant, this.#nowMs());
  }

  ageMs({ tenant }: Snapshot): number {
    const answeredAtMs = this.#answeredAtMs.get(tenant) ?? Number.NEGATIVE_INFINITY;
    return this.#nowMs() - Math.max(this.#heardAtMs, answeredAtMs);
  }
}
