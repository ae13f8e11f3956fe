import type { ShownLimit } from '../core/decision.ts';

/**
 * `t` of a `RateLimit` item: within this many seconds the caller may count on what remains and no
 * more. Null for open calls, which no time brings back.
 */
export function effectiveSeconds(shown: ShownLimit, nowUs: number): number | null {
  const { numbers } = shown.bound.limit;
  const { resetAtUs } = shown.view;
  switch (numbers.algorithm) {
    case 'concurrency':
      return null;
    case 'token_bucket':
      return bucketSeconds(shown, numbers, nowUs);
    case 'fixed_window':
    case 'quota':
      return wholeSeconds(resetAtUs - nowUs);
    case 'sliding_window_log':
      return slidingSeconds(shown, resetAtUs > nowUs ? resetAtUs - nowUs : numbers.windowUs);
    case 'sliding_window_counter':
      return slidingSeconds(shown, resetAtUs - numbers.windowUs - nowUs);
  }
}

/** At least one: a window of no length says nothing. */
export function wholeSeconds(us: number): number {
  return Math.max(1, Math.ceil(us / 1_000_000));
}

/** Spread over this long, what remains comes no faster than the bucket is refilled. */
function bucketSeconds(
  { bound: { limit }, reading, view: { remaining } }: ShownLimit,
  { tokens, perUs }: { readonly tokens: number; readonly perUs: number },
  nowUs: number,
): number {
  if (remaining > 0) return Math.max(1, Math.ceil((remaining * perUs) / (tokens * 1_000_000)));
  const { fitsAtUs } = limit.algorithm.show(limit.numbers, reading.state, 1 + reading.held, nowUs);
  return wholeSeconds(fitsAtUs - nowUs);
}

/** What leaves a sliding window leaves bit by bit: once it suffices, the wait is over. */
function slidingSeconds({ reading, view: { retryAfterUs } }: ShownLimit, windowUs: number): number {
  const exceeded = reading.verdict === 'exceeded' && retryAfterUs !== null;
  return wholeSeconds(exceeded ? Math.min(windowUs, retryAfterUs) : windowUs);
}
