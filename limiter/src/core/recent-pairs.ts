import { Sightings } from './sightings.ts';

/** Of a first text that came with one other so far. */
type Only<T> = { readonly second: string; value: T };
type Seconds<T> = Only<T> | Map<string, T>;

/**
 * A bounded map from two texts that forgets the older half of what was not asked for lately. Nothing
 * is put together to look something up: that would take as long as the look.
 */
export class RecentPairs<T> {
  readonly #max: number;
  #young = new Map<string, Seconds<T>>();
  #old = new Map<string, Seconds<T>>();
  #youngSize = 0;
  readonly #sightings: Sightings;

  /** Holds at most twice as many. */
  constructor(max: number) {
    this.#max = max;
    this.#sightings = new Sightings(max);
  }

  get(first: string, second: string): T | undefined {
    const young = valueIn(this.#young.get(first), second);
    if (young !== undefined) return young;
    const old = valueIn(this.#old.get(first), second);
    if (old !== undefined) this.set(first, second, old);
    return old;
  }

  /**
   * With the second time that it is offered: of more pairs than there is room for, most would be
   * forgotten before they come again, and to keep them costs more than to make them anew.
   */
  offer(first: string, second: string, value: T): void {
    if (this.#sightings.isRepeated(first, second)) this.set(first, second, value);
  }

  set(first: string, second: string, value: T): void {
    if (this.#youngSize >= this.#max) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSize = 0;
    }
    this.#youngSize += 1;
    const seconds = this.#young.get(first);
    if (!seconds) this.#young.set(first, { second, value });
    else if (seconds instanceof Map) seconds.set(second, value);
    else if (seconds.second === second) seconds.value = value;
    else {
      const both = new Map([[seconds.second, seconds.value]]);
      this.#young.set(first, both.set(second, value));
    }
  }
}

function valueIn<T>(seconds: Seconds<T> | undefined, second: string): T | undefined {
  if (seconds === undefined) return undefined;
  if (seconds instanceof Map) return seconds.get(second);
  return seconds.second === second ? seconds.value : undefined;
}
