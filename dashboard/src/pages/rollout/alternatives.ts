import type { Alternative } from './report.ts';

export type Tried = { readonly refused: number; readonly share: number };

/** The numbers worth trying: each at which something changes, the one before all of them, the present one. */
export function numbersToTry(alternatives: readonly Alternative[], current: number): number[] {
  const first = alternatives[0];
  if (!first) return [];
  const numbers = new Set([current, ...alternatives.map(({ number }) => number)]);
  if (first.number > 1) numbers.add(first.number - 1);
  return [...numbers].toSorted((one, other) => one - other);
}

/** What this number would have refused: as the last one told before it, and below the first, all. */
export function refusedAt(
  number: number,
  alternatives: readonly Alternative[],
  subjects: number,
): Tried {
  const known = alternatives.findLast((one) => one.number <= number);
  if (!known) return { refused: subjects, share: 1 };
  return { refused: known.refused_subjects, share: known.share_of_subjects };
}
