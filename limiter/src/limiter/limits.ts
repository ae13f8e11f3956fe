import type {
  ConcurrencyOptions,
  FixedWindowOptions,
  LimitInput,
  QuotaOptions,
  TokenBucketOptions,
  WindowOptions,
} from '../core/limit-input.ts';

/** At most `capacity` at once, refilled at a steady rate. */
export function tokenBucket(options: TokenBucketOptions): LimitInput {
  return { ...options, algorithm: 'token_bucket' };
}

/** At most `limit` in each window; cheap, and up to twice that across an edge. */
export function fixedWindow(options: FixedWindowOptions): LimitInput {
  return { ...options, algorithm: 'fixed_window' };
}

/** At most `limit` in any rolling window, exactly; remembers every call, for limits up to 10,000. */
export function slidingWindow(options: WindowOptions): LimitInput {
  return { ...options, algorithm: 'sliding_window_log' };
}

/** Close to `slidingWindow` on real traffic, with two counters. */
export function slidingWindowCounter(options: WindowOptions): LimitInput {
  return { ...options, algorithm: 'sliding_window_counter' };
}

/** At most `maxConcurrent` open calls; each is released by its ticket, or by itself when stale. */
export function concurrency(options: ConcurrencyOptions): LimitInput {
  return { ...options, algorithm: 'concurrency' };
}

/** An allowance per calendar period, in a time zone and from a billing day. */
export function quota(options: QuotaOptions): LimitInput {
  return { ...options, algorithm: 'quota' };
}
