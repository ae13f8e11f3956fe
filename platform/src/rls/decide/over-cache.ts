import { LRUCache } from 'lru-cache';
import type { Item, Seen } from './item.ts';
import { isWindow } from './quota.ts';
import type { RuleLimits } from './rule-limits.ts';

/** Since this process began. */
export type LocalCacheFigures = {
  readonly lookups: number;
  readonly hits: number;
  readonly expired: number;
  readonly evicted: number;
  readonly entries: number;
};

export type OverCacheOptions = {
  /** What entries may take in all, about. */
  readonly bytes: number;
  /** Never goes back; only what passed between two looks counts. */
  readonly nowUs?: () => number;
};

type Entry = {
  /** A rule that was read anew, or changed, is another: nothing is known of its counters. */
  readonly limits: RuleLimits;
  /** At least: within a window it only grows. */
  readonly used: number;
  /** By the store's clock, and by ours: then at the latest the window is over. */
  readonly resetAtUs: number;
  readonly endUs: number;
};

/** Of an entry beside its key: an object of four numbers, its place in the map and in the order of use. */
const entryBytes = 200;

/**
 * Who is over, as far as this process saw, until the window ends. An entry says how much was used, so
 * that only what does not fit beside it is over: who was refused ten hits may still have one. Of
 * windows alone, where that is exact.
 */
export class OverCache {
  readonly #entries: LRUCache<string, Entry>;
  readonly #nowUs: () => number;
  readonly #figures = { lookups: 0, hits: 0, expired: 0, evicted: 0 };
  /** How often hits came back. */
  #refunds = 0;

  constructor({ bytes, nowUs = () => performance.now() * 1000 }: OverCacheOptions) {
    this.#nowUs = nowUs;
    this.#entries = new LRUCache({
      maxSize: bytes,
      sizeCalculation: (_entry, key) => entryBytes + 2 * key.length,
      dispose: (_entry, _key, reason) => {
        if (reason === 'evict') this.#figures.evicted += 1;
      },
    });
  }

  get figures(): LocalCacheFigures {
    return { ...this.#figures, entries: this.#entries.size };
  }

  /** What is over without asking, and how to note what is learned about the others. */
  look(domain: string, items: readonly Item[]): Look {
    const askedUs = this.#nowUs();
    const refunds = this.#refunds;
    const known = new Map<Item, Seen>();
    const keys = keysOf(domain, items);
    for (const [item, key] of keys) {
      const seen = this.#find(item, key, askedUs);
      if (seen) known.set(item, seen);
    }
    return {
      known,
      note: (seen) => {
        // What came back meanwhile may be more than what was seen.
        if (refunds !== this.#refunds) return;
        for (const [item, key] of keys) {
          const one = seen.get(item);
          if (one?.isOver && one.isOwn && !known.has(item)) this.#keep(key, item, one, askedUs);
        }
      },
    };
  }

  /** Their hits came back, or may have. */
  refunded(domain: string, items: readonly Item[]): void {
    this.#refunds += 1;
    for (const item of items) this.#entries.delete(keyOf(domain, item));
  }

  /** The store may have forgotten. */
  clear(): void {
    this.#refunds += 1;
    this.#entries.clear();
  }

  #find(item: Item, key: string, nowUs: number): Seen | null {
    this.#figures.lookups += 1;
    const entry = this.#entries.get(key);
    if (!entry) return null;
    if (nowUs >= entry.endUs) {
      this.#figures.expired += 1;
      this.#entries.delete(key);
      return null;
    }
    if (entry.limits !== item.limits || !isOver(item, entry.used)) return null;
    this.#figures.hits += 1;
    return seenOf(item, entry, nowUs);
  }

  #keep(key: string, { limits }: Item, { before, view, nowUs }: Seen, askedUs: number): void {
    // Counted from before the store was asked, so that it never lasts beyond the window.
    const endUs = askedUs + view.resetAtUs - nowUs;
    this.#entries.set(key, { limits, used: before, resetAtUs: view.resetAtUs, endUs });
  }
}

export type Look = {
  readonly known: ReadonlyMap<Item, Seen>;
  note(seen: ReadonlyMap<Item, Seen>): void;
};

/** What has happened already must count, unless the window is more than full as it is. */
function isOver({ limits: { enforced }, hits, isAfterResponse }: Item, used: number): boolean {
  return isAfterResponse ? used > enforced.size : used + hits > enforced.size;
}

function seenOf({ limits: { enforced } }: Item, entry: Entry, atUs: number): Seen {
  const { used, resetAtUs, endUs } = entry;
  const leftUs = endUs - atUs;
  return {
    isOver: true,
    isOwn: true,
    isCharged: false,
    granted: 0,
    before: used,
    view: {
      used,
      remaining: Math.max(0, enforced.size - used),
      resetAtUs,
      retryAfterUs: leftUs,
    },
    nowUs: resetAtUs - leftUs,
  };
}

/**
 * Those that can be known. One counter twice in a request counts together: the store does that. And
 * it has to hear of a request with a rule that blocks who goes on asking.
 */
function keysOf(domain: string, items: readonly Item[]): [Item, string][] {
  if (items.some(({ limits }) => limits.enforced.penalty !== null)) return [];
  const keys = items.map((item): [Item, string] => [item, keyOf(domain, item)]);
  return keys.filter(
    ([{ limits }, key], at) =>
      isWindow(limits.enforced) && keys.every(([, other], index) => index === at || other !== key),
  );
}

/** A subject is a list in JSON and so ends by itself. */
function keyOf(domain: string, { subject, limits }: Item): string {
  return `${subject}${limits.enforced.counterId}\0${domain}`;
}
