import { createHash } from 'node:crypto';
import type { Limit } from 'sluice/core';
import type { RlsQuota } from '../ask.ts';
import type { Item, Seen } from './item.ts';

/**
 * Buckets fill again, and what slides leaves behind, from when a grant was taken and not from when it
 * is used: one that was kept would come on top of what is allowed by then.
 */
const slidingUs = 1_000_000;

/** What was granted, if anything was. */
export function quotaOf(item: Item, seen: Seen, domain: string): RlsQuota | null {
  const { granted, nowUs, view } = seen;
  if (granted === 0) return null;
  const { match, limits, subject } = item;
  const endUs = isWindow(limits.enforced) ? view.resetAtUs : nowUs + slidingUs;
  const seconds = match.rule.grant?.seconds ?? null;
  const untilUs = seconds === null ? endUs : Math.min(endUs, nowUs + seconds * 1_000_000);
  return {
    requests: granted,
    validUntilSeconds: untilUs / 1_000_000,
    id: counterIdOf(domain, limits.enforced, subject),
  };
}

/** What is charged counts until the window ends, whenever within it. */
export function isWindow({ numbers }: Limit): boolean {
  return numbers.algorithm === 'fixed_window' || numbers.algorithm === 'quota';
}

/** As long for long descriptors as for short ones, and the same on every node. */
function counterIdOf(domain: string, { counterId }: Limit, subject: string): string {
  const counter = JSON.stringify([domain, counterId, subject]);
  return createHash('sha256').update(counter).digest('base64url').slice(0, 22);
}
