import type { RlsDescriptor, RlsEntry } from '../ask.ts';
import type { Descriptor, Level, RlsConfig } from '../config/tree.ts';
import type { Rule } from '../config/rule.ts';
import { statKeyOf, statKeyOfEntries } from './stat-key.ts';

/** The rule that a descriptor falls under. */
export type Match = {
  readonly rule: Rule;
  /** What statistics call it: the domain first, then each level. */
  readonly statKey: readonly string[];
  /** Whose counter: every entry's key and its value, or the pattern that all its values share. */
  readonly counted: readonly string[];
};

/** `unknown`: nobody configured the domain. Null: no rule applies. */
export function matchIn(
  config: RlsConfig,
  domain: string,
  descriptor: RlsDescriptor,
): Match | null | 'unknown' {
  const root = config.get(domain);
  if (!root) return 'unknown';
  return descriptor.limit ? overridden(domain, descriptor) : matched(domain, root, descriptor);
}

/** What is sent along counts as it is: no flag of any rule applies. */
function overridden(domain: string, { entries, limit }: RlsDescriptor): Match | null {
  if (!limit) return null;
  const rule: Rule = {
    name: null,
    replaces: [],
    amount: { kind: 'rate', ...limit },
    isShadow: false,
    isQuota: false,
    isAfterResponse: false,
    grant: null,
    metadata: null,
  };
  return {
    rule,
    statKey: statKeyOfEntries(domain, entries),
    counted: entries.flatMap(({ key, value }) => [key, value]),
  };
}

/**
 * Level by level. Who is found goes first by its exact value, then by a wildcard in the order of the
 * file, then by its key alone; there is no way back to another branch. A rule applies at the depth of
 * the last entry only.
 */
function matched(domain: string, root: Level, { entries }: RlsDescriptor): Match | null {
  const path: Descriptor[] = [];
  let level: Level | null = root;
  for (const entry of entries) {
    const found: Descriptor | undefined = level ? findIn(level, entry) : undefined;
    if (!found) return null;
    path.push(found);
    level = found.children;
  }
  const rule = path.at(-1)?.rule;
  if (!rule) return null;
  return { rule, statKey: statKeyOf(domain, path, entries), counted: countedBy(path, entries) };
}

function findIn(level: Level, { key, value }: RlsEntry): Descriptor | undefined {
  const exact = level.exact.get(key)?.get(value);
  if (exact) return exact;
  const wildcard = level.wildcards.get(key)?.find((one) => one.wildcard?.matches(value));
  return wildcard ?? level.anyValue.get(key);
}

function countedBy(path: readonly Descriptor[], entries: readonly RlsEntry[]): string[] {
  return entries.flatMap(({ key, value }, at) => {
    const { isShared, value: pattern } = path[at] as Descriptor;
    return [key, isShared ? pattern : value];
  });
}
