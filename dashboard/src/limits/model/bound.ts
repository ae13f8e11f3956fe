import { limitFromWire, resolveShare, type CanonicalLimit } from 'sluice/contract';
import { InvalidInput, parseLimit, type Limit } from 'sluice/core';

/** A limit as the service would use it; null while it is wrong, off, or a share of one that is. */
export function limitOf(
  limit: CanonicalLimit,
  all: readonly (CanonicalLimit | null)[],
): Limit | null {
  const base = all.find((other) => other?.name === limit.share_of?.limit);
  if (limit.share_of && (!base || base.share_of)) return null;
  try {
    const whole = base ? resolveShare(limit, base) : limit;
    const input = limitFromWire(whole, limit.name);
    return parseLimit(input, { definedBy: 'draft', field: limit.name });
  } catch (error) {
    if (error instanceof InvalidInput) return null;
    throw error;
  }
}
