import type { Epoch, SnapshotRef } from '../../core/engine.ts';
import type { TenantBooks } from './books.ts';

/** The twin of `epoch.lua`: what keeps a snapshot from deciding, or null. */
export function compareEpoch(
  books: TenantBooks,
  { epoch, confirmed, validUntilUs }: SnapshotRef,
  nowUs: number,
): 'stale' | 'unknown' | null {
  const stored = books.epoch;
  if (!stored && !confirmed) return 'unknown';
  if (stored && (stored.tenant > epoch.tenant || stored.shared > epoch.shared)) return 'stale';
  if (validUntilUs !== undefined && nowUs >= validUntilUs) return 'stale';
  books.epoch = highest(stored, epoch);
  return null;
}

export function highest(stored: Epoch | null, epoch: Epoch): Epoch {
  return {
    tenant: Math.max(stored?.tenant ?? 0, epoch.tenant),
    shared: Math.max(stored?.shared ?? 0, epoch.shared),
  };
}
