import type { RlsEntry } from '../ask.ts';
import type { Descriptor } from '../config/tree.ts';

/** What statistics call a rule: the domain, then each level as its file names it or as it was asked. */
export function statKeyOf(
  domain: string,
  path: readonly Descriptor[],
  entries: readonly RlsEntry[],
): string[] {
  const isDetailed = path.at(-1)?.hasDetailedStats ?? false;
  const levels = path.map((descriptor, at) => {
    const { key, value, isShared, hasValueInStats } = descriptor;
    // Values that share a counter share their figures, whatever else is asked for.
    if (isShared) return named(key, value);
    const asked = (entries[at] as RlsEntry).value;
    return (isDetailed || hasValueInStats) && asked !== '' ? named(key, asked) : named(key, value);
  });
  return [domain, ...levels];
}

export function statKeyOfEntries(domain: string, entries: readonly RlsEntry[]): string[] {
  return [domain, ...entries.map(({ key, value }) => named(key, value))];
}

function named(key: string, value: string): string {
  return value === '' ? key : `${key}_${value}`;
}
