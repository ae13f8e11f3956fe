import type { Match } from './match.ts';

/** A rule that another one of the same request replaces is neither counted nor reported. */
export function applyReplaces(matches: readonly (Match | null)[]): (Match | null)[] {
  const replaced = new Set<string>();
  for (const match of matches) {
    for (const name of match?.rule.replaces ?? []) replaced.add(name);
  }
  if (replaced.size === 0) return [...matches];
  return matches.map((match) => {
    const name = match?.rule.name ?? null;
    return name !== null && replaced.has(name) ? null : match;
  });
}
