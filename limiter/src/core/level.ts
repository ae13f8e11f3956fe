import { valueOf, type ParsedCheck } from './check.ts';
import type { Limit, PerPart } from './limit.ts';

export type Level =
  | 'global'
  | 'tenant'
  | 'endpoint'
  | 'user'
  | 'attribute'
  | 'organization'
  | 'team';

export type LevelOfLimit = {
  readonly name: Level;
  /** From the widest to the narrowest. */
  readonly order: number;
  /** The part of `per` that makes the level. */
  readonly part: PerPart;
};

const levels = new WeakMap<Limit, LevelOfLimit>();

/** Whom a limit is for, by the narrowest part of what it counts. Every refusal asks. */
export function levelOf(limit: Limit): LevelOfLimit {
  let level = levels.get(limit);
  if (!level) levels.set(limit, (level = findLevel(limit)));
  return level;
}

/** Who that is in this check; null where it is nobody by name. */
export function entityOf(limit: Limit, check: ParsedCheck): string | null {
  return valueOf(levelOf(limit).part, check) ?? null;
}

function findLevel({ per, numbers }: Limit): LevelOfLimit {
  const attribute = per.find((part) => part.startsWith('attributes.'));
  if (per.includes('global')) return { name: 'global', order: -1, part: 'global' };
  if (numbers.algorithm === 'quota') return quotaLevel(per);
  if (attribute) return { name: 'attribute', order: 3, part: attribute };
  if (per.includes('subject')) return { name: 'user', order: 2, part: 'subject' };
  if (per.includes('key')) return { name: 'attribute', order: 3, part: 'key' };
  if (per.includes('resource')) return { name: 'endpoint', order: 1, part: 'resource' };
  return { name: 'tenant', order: 0, part: 'tenant' };
}

function quotaLevel(per: readonly PerPart[]): LevelOfLimit {
  if (per.includes('attributes.user')) return { name: 'user', order: 2, part: 'attributes.user' };
  if (per.includes('subject')) return { name: 'user', order: 2, part: 'subject' };
  if (per.includes('attributes.team')) return { name: 'team', order: 1, part: 'attributes.team' };
  return { name: 'organization', order: 0, part: 'tenant' };
}
