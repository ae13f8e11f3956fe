import type { TenantRef } from '../../core/engine.ts';

export type GateOptions = {
  /** Calls that may be under way at once: of all together, and of one tenant. */
  readonly max: number;
  readonly perTenantMax: number;
};

/** More than these of one tenant do not wait: they would be late anyway. */
const waitingPerTenantMax = 1024;
/** With more places than these the idle ones are left out; and not again before they have doubled. */
const placesMin = 2048;

/** A tenant's. */
export class Place {
  readonly gate: Gate;
  inFlight = 0;
  isQueued = false;
  /** Null until somebody had to. */
  waiting: Go[] | null = null;

  constructor(gate: Gate) {
    this.gate = gate;
  }

  get waitingCount(): number {
    return this.waiting?.length ?? 0;
  }
}

type Go = (place: Place) => void;

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
  #places = new Map<string, Place>();
  #placesMax = placesMin;
  /** Those with somebody waiting who could go if there were room. */
  #queue: Place[] = [];
  #inFlight = 0;

  constructor({ max, perTenantMax }: GateOptions) {
    this.#max = max;
    this.#perTenantMax = Math.min(max, perTenantMax);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The tenant's place, where the call may go at once: each that goes must `leave` it. Else null. */
  enter(tenant: TenantRef): Place | null {
    const place = this.#placeOf(tenant);
    const isFull = this.#inFlight >= this.#max || place.inFlight >= this.#perTenantMax;
    if (isFull || place.waitingCount > 0) return null;
    place.inFlight += 1;
    this.#inFlight += 1;
    return place;
  }

  /** Where it waits: `go` is called with that place when it has entered. Null: too many wait already. */
  wait(tenant: TenantRef, go: Go): Place | null {
    const place = this.#placeOf(tenant);
    if (place.waitingCount >= waitingPerTenantMax) return null;
    place.waiting ??= [];
    place.waiting.push(go);
    this.#enqueue(place);
    return place;
  }

  /** It waits no longer. */
  cancel({ waiting }: Place, go: Go): void {
    const at = waiting?.indexOf(go) ?? -1;
    if (at >= 0) waiting?.splice(at, 1);
  }

  leave(place: Place): void {
    place.inFlight -= 1;
    this.#inFlight -= 1;
    this.#enqueue(place);
    this.#letIn();
  }

  #letIn(): void {
    while (this.#inFlight < this.#max) {
      const place = this.#queue.shift();
      if (!place) return;
      place.isQueued = false;
      const go = place.waiting?.shift();
      if (!go) continue;
      place.inFlight += 1;
      this.#inFlight += 1;
      this.#enqueue(place);
      go(place);
    }
  }

  #enqueue(place: Place): void {
    if (place.isQueued || place.waitingCount === 0) return;
    if (place.inFlight >= this.#perTenantMax) return;
    place.isQueued = true;
    this.#queue.push(place);
  }

  /** Who was read anew has new notes, and for a moment twice as much room. */
  #placeOf({ id, notes }: TenantRef): Place {
    if (!notes) return this.#remembered(id);
    const { place } = notes;
    if (place instanceof Place && place.gate === this) return place;
    const made = new Place(this);
    notes.place = made;
    return made;
  }

  #remembered(id: string): Place {
    let place = this.#places.get(id);
    if (!place) {
      if (this.#places.size >= this.#placesMax) this.#leaveOutIdle();
      place = new Place(this);
      this.#places.set(id, place);
    }
    return place;
  }

  #leaveOutIdle(): void {
    const busy = [...this.#places].filter(
      ([, { inFlight, waitingCount }]) => inFlight + waitingCount > 0,
    );
    this.#places = new Map(busy);
    this.#placesMax = Math.max(placesMin, 2 * busy.length);
  }
}
