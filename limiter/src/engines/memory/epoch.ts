import type { Epoch, SnapshotRef } from '../../core/engine.ts';
import type { TenantBooks } from './books.ts';
import { valueAt } from './expiring-map.ts';

/** As in Redis: it lives a day and is then confirmed anew, so that who is gone leaves nothing behind. */
const keptUs = 86_400_000_000;

/** The twin of `epoch.lua`: what keeps a snapshot from deciding, or null. */
export function compareEpoch(
  books: TenantBooks,
  { epoch, confirmed, validUntilUs }: SnapshotRef,
  nowUs: number,
): 'stale' | 'unknown' | null {
  const stored = valueAt(books.epoch, nowUs);
  if (!stored && !confirmed) return 'unknown';
  if (stored && (stored.tenant > epoch.tenant || stored.shared > epoch.shared)) return 'stale';
  if (validUntilUs !== undefined && nowUs >= validUntilUs) return 'stale';
  const isKnown = stored?.tenant === epoch.tenant && stored.shared === epoch.shared;
  if (!isKnown) raiseEpoch(books, epoch, nowUs);
  return null;
}

/** Makes every older snapshot of the tenant stale. Never lowers. */
export function raiseEpoch(books: TenantBooks, { tenant, shared }: Epoch, nowUs: number): void {
  const stored = valueAt(books.epoch, nowUs);
  const highest = {
    tenant: Math.max(stored?.tenant ?? 0, tenant),
    shared: Math.max(stored?.shared ?? 0, shared),
  };
  books.epoch = { value: highest, expiresAtUs: nowUs + keptUs };
}
