/** Checks of one tenant's lists that are under way at once, unless one list alone has more. */
const checksMaxDefault = 250;

type Place = { underWay: number; readonly waiting: Turn[] };
type Turn = { readonly checks: number; readonly go: () => void };

/**
 * Lists of checks of one tenant go a few at a time, first come, first served. The store decides them
 * one after another in any case: what is sent all at once only stands before others' checks there,
 * and is kept in memory here, at many times the size of what was asked.
 */
export class Turns {
  readonly #checksMax: number;
  readonly #places = new Map<string, Place>();

  constructor(checksMax = checksMaxDefault) {
    this.#checksMax = checksMax;
  }

  /** Does the work when it is its turn; an error is the work's own. */
  async take<T>(tenant: string, size: number, work: () => Promise<T>): Promise<T> {
    // An empty list is under way too: its place must not be forgotten meanwhile.
    const checks = Math.max(1, size);
    const place = this.#placeOf(tenant);
    if (place.waiting.length === 0 && this.#hasRoom(place, checks)) place.underWay += checks;
    else await new Promise<void>((go) => place.waiting.push({ checks, go }));
    try {
      return await work();
    } finally {
      place.underWay -= checks;
      this.#letIn(tenant, place);
    }
  }

  #hasRoom({ underWay }: Place, checks: number): boolean {
    return underWay === 0 || underWay + checks <= this.#checksMax;
  }

  #letIn(tenant: string, place: Place): void {
    for (;;) {
      const next = place.waiting[0];
      if (!next || !this.#hasRoom(place, next.checks)) break;
      place.waiting.shift();
      place.underWay += next.checks;
      next.go();
    }
    if (place.underWay === 0) this.#places.delete(tenant);
  }

  #placeOf(tenant: string): Place {
    let place = this.#places.get(tenant);
    if (!place) this.#places.set(tenant, (place = { underWay: 0, waiting: [] }));
    return place;
  }
}
