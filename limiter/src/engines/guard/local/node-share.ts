import type { Numbers } from '../../../core/algorithms/index.ts';
import { tokenBucketNumbers } from '../../../core/algorithms/token-bucket.ts';
import type { Limit } from '../../../core/limit.ts';

/** How many nodes share what is limited, and which of them this is, counted from 0. */
export type Fleet = { readonly nodes: number; readonly rank: number };

/** Of a whole number: the parts of all nodes together are exactly it. */
export function partOf(whole: number, { nodes, rank }: Fleet): number {
  return Math.floor(whole / nodes) + (rank < whole % nodes ? 1 : 0);
}

type Kept = { readonly fleet: Fleet; readonly share: Limit | null };

const kept = new WeakMap<Limit, Kept>();

/** What one node may let in by itself; null when that is nothing. */
export function nodeShare(limit: Limit, fleet: Fleet): Limit | null {
  const known = kept.get(limit);
  if (known && known.fleet.nodes === fleet.nodes && known.fleet.rank === fleet.rank) {
    return known.share;
  }
  const share = shareOf(limit, fleet);
  kept.set(limit, { fleet, share });
  return share;
}

function shareOf(limit: Limit, fleet: Fleet): Limit | null {
  const size = partOf(limit.size, fleet);
  const numbers = size > 0 ? numbersOf(limit.numbers, size, fleet.nodes) : null;
  if (!numbers) return null;
  const { override, size: whole } = limit;
  const shown = { id: override?.id ?? null, baseSize: override?.baseSize ?? whole };
  return Object.freeze({ ...limit, numbers, size, override: shown });
}

function numbersOf(numbers: Numbers, size: number, nodes: number): Numbers | null {
  switch (numbers.algorithm) {
    case 'token_bucket': {
      const { tokens, perUs } = numbers;
      return {
        algorithm: 'token_bucket',
        ...tokenBucketNumbers(size, { tokens, perUs: perUs * nodes }),
      };
    }
    case 'fixed_window':
    case 'sliding_window_log':
    case 'sliding_window_counter':
    case 'quota':
      return { ...numbers, limit: size };
    // Who holds the slots only the store knows.
    case 'concurrency':
      return null;
  }
}
