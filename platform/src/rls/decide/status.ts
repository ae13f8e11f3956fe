import type { RlsShownLimit, RlsStatus } from '../ask.ts';
import { uint32Max } from '../bounds.ts';
import type { Item, Seen } from './item.ts';
import { quotaOf } from './quota.ts';

export const noRule: RlsStatus = Object.freeze({
  isOver: false,
  limit: null,
  remaining: 0,
  resetSeconds: null,
  quota: null,
});

export const unlimited: RlsStatus = Object.freeze({ ...noRule, remaining: uint32Max });

/** A rule in shadow is never over to others, though nothing remains. */
export function statusOf(item: Item, seen: Seen, domain: string): RlsStatus {
  const { limits, isShadow } = item;
  const { isOver, view, nowUs } = seen;
  return {
    isOver: isOver && !isShadow,
    limit: limits.shown,
    remaining: isOver ? 0 : Math.min(uint32Max, view.remaining),
    resetSeconds: secondsTo(isOver ? waitUs(seen) : view.resetAtUs - nowUs),
    quota: quotaOf(item, seen, domain),
  };
}

/** Nothing is ever allowed, so that waiting does not help either. */
export function nothingAllowed(limit: RlsShownLimit, isShadow: boolean): RlsStatus {
  return { isOver: !isShadow, limit, remaining: 0, resetSeconds: null, quota: null };
}

/** The store did not answer, and the rule refuses then. */
export function refusedUnasked({ limits }: Item): RlsStatus {
  return { isOver: true, limit: limits.shown, remaining: 0, resetSeconds: 1, quota: null };
}

/** What would fit, and when; who asks for more than there ever is waits for a new window in vain. */
function waitUs({ view, nowUs }: Seen): number {
  return view.retryAfterUs || view.resetAtUs - nowUs;
}

function secondsTo(us: number): number {
  return Math.max(1, Math.ceil(us / 1_000_000));
}
