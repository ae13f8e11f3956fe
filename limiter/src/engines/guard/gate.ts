import type { TenantRef } from '../../core/engine.ts';
import { Standing } from '../../core/known-tenant.ts';

export type GateOptions = {
  /** Calls that may be under way at once: of all together, and of one tenant. */
  readonly max: number;
  readonly perTenantMax: number;
};

/** More than these of one tenant do not wait: they would be late anyway. */
const waitingPerTenantMax = 1024;
/** With more standings than these the idle ones are left out; and not again before they have doubled. */
const standingsMin = 2048;

type Go = NonNullable<Standing['waiting']>[number];

/**
 * Bounds how many calls are under way, and shares what is there among tenants that wait: one after
 * another, one call each, however many a tenant has waiting.
 */
export class Gate {
  readonly #max: number;
  readonly #perTenantMax: number;
  /**
   * Of those who do not keep it themselves. Who are idle stay for a while: to come and go costs more
   * than to stay.
   */
  #standings = new Map<string, Standing>();
  #standingsMax = standingsMin;
  /** Those with somebody waiting who could go if there were room. */
  #queue: Standing[] = [];
  #inFlight = 0;

  constructor({ max, perTenantMax }: GateOptions) {
    this.#max = max;
    this.#perTenantMax = Math.min(max, perTenantMax);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The tenant's standing, where the call may go at once: each that goes must `leave` it. Else null. */
  enter(tenant: TenantRef): Standing | null {
    const standing = this.#standingOf(tenant);
    const isFull = this.#inFlight >= this.#max || standing.inFlight >= this.#perTenantMax;
    if (isFull || isWaitedFor(standing)) return null;
    standing.inFlight += 1;
    this.#inFlight += 1;
    return standing;
  }

  /** Where it waits: `go` is called with that standing when it has entered. Null: too many wait already. */
  wait(tenant: TenantRef, go: Go): Standing | null {
    const standing = this.#standingOf(tenant);
    if ((standing.waiting?.length ?? 0) >= waitingPerTenantMax) return null;
    standing.waiting ??= [];
    standing.waiting.push(go);
    this.#enqueue(standing);
    return standing;
  }

  /** It waits no longer. */
  cancel({ waiting }: Standing, go: Go): void {
    const at = waiting?.indexOf(go) ?? -1;
    if (at >= 0) waiting?.splice(at, 1);
  }

  leave(standing: Standing): void {
    standing.inFlight -= 1;
    this.#inFlight -= 1;
    this.#enqueue(standing);
    this.#letIn();
  }

  #letIn(): void {
    while (this.#inFlight < this.#max) {
      const standing = this.#queue.shift();
      if (!standing) return;
      standing.isQueued = false;
      const go = standing.waiting?.shift();
      if (!go) continue;
      standing.inFlight += 1;
      this.#inFlight += 1;
      this.#enqueue(standing);
      go(standing);
    }
  }

  #enqueue(standing: Standing): void {
    if (standing.isQueued || !isWaitedFor(standing)) return;
    if (standing.inFlight >= this.#perTenantMax) return;
    standing.isQueued = true;
    this.#queue.push(standing);
  }

  /** Who was read anew has new notes, and for a moment twice as much room. */
  #standingOf({ id, notes }: TenantRef): Standing {
    if (notes?.gate === this) return notes;
    // It stands at another gate with them.
    if (!notes || notes.gate) return this.#remembered(id);
    notes.gate = this;
    return notes;
  }

  #remembered(id: string): Standing {
    let standing = this.#standings.get(id);
    if (!standing) {
      if (this.#standings.size >= this.#standingsMax) this.#leaveOutIdle();
      standing = new Standing();
      this.#standings.set(id, standing);
    }
    return standing;
  }

  #leaveOutIdle(): void {
    const busy = [...this.#standings].filter(
      ([, standing]) => standing.inFlight > 0 || isWaitedFor(standing),
    );
    this.#standings = new Map(busy);
    this.#standingsMax = Math.max(standingsMin, 2 * busy.length);
  }
}

function isWaitedFor({ waiting }: Standing): boolean {
  return waiting !== null && waiting.length > 0;
}
