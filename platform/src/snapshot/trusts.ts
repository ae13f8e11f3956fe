import { Trust } from './trust.ts';

export type TrustsOptions = {
  /** Whether the store of a place takes commands right now; of no place: the one that all share. */
  readonly isThere: (place: string | undefined) => boolean;
  readonly ask: () => Promise<void>;
  readonly waitMs: number;
};

const placesMax = 1000;

/** For each store on its own: one that comes back makes nobody wait who is counted elsewhere. */
export class Trusts {
  readonly #options: TrustsOptions;
  readonly #shared: Trust;
  readonly #places = new Map<string, Trust>();

  constructor(options: TrustsOptions) {
    this.#options = options;
    this.#shared = this.#make(undefined);
  }

  /** What every check must wait for. */
  get pending(): Promise<void> | null {
    return this.#shared.pending;
  }

  /** What checks of tenants must wait for that are counted there. */
  pendingAt(place: string | undefined): Promise<void> | null {
    if (place === undefined) return null;
    return this.#places.get(place)?.pending ?? null;
  }

  storeLeft(place: string | undefined): void {
    if (place === undefined) return this.#shared.storeLeft();
    let trust = this.#places.get(place);
    if (!trust) {
      if (this.#places.size >= placesMax) this.#places.clear();
      this.#places.set(place, (trust = this.#make(place)));
    }
    trust.storeLeft();
  }

  #make(place: string | undefined): Trust {
    const { ask, isThere, waitMs } = this.#options;
    return new Trust({ ask, waitMs, isThere: () => isThere(place) });
  }
}
