/**
 * The six algorithms. Each is a table of pure functions with a twin in Lua; what they promise is
 * in `docs/algorithms.md`. Nothing here knows a store, a clock or a wire.
 */
import type { Algorithm } from './algorithm.ts';
import { concurrency, type ConcurrencyNumbers } from './concurrency.ts';
import { fixedWindow, type FixedWindowNumbers } from './fixed-window.ts';
import { quota, type QuotaNumbers } from './quota.ts';
import {
  slidingWindowCounter,
  type SlidingWindowCounterNumbers,
} from './sliding-window-counter.ts';
import { slidingWindowLog, type SlidingWindowLogNumbers } from './sliding-window-log.ts';
import { tokenBucket, type TokenBucketNumbers } from './token-bucket.ts';

export { flatNumbersMax, type Algorithm, type Refund, type Shown } from './algorithm.ts';

/** Numbers of a limit, with the algorithm they are for. */
export type Numbers =
  | ({ readonly algorithm: 'token_bucket' } & TokenBucketNumbers)
  | ({ readonly algorithm: 'fixed_window' } & FixedWindowNumbers)
  | ({ readonly algorithm: 'sliding_window_log' } & SlidingWindowLogNumbers)
  | ({ readonly algorithm: 'sliding_window_counter' } & SlidingWindowCounterNumbers)
  | ({ readonly algorithm: 'concurrency' } & ConcurrencyNumbers)
  | ({ readonly algorithm: 'quota' } & QuotaNumbers);

export type AlgorithmName = Numbers['algorithm'];

/** A stored state or a reading: only the algorithm that made it looks inside. */
export type Opaque = object;

export type AnyAlgorithm = Algorithm<Numbers, Opaque, Opaque>;

const table: Record<AlgorithmName, unknown> = {
  token_bucket: tokenBucket,
  fixed_window: fixedWindow,
  sliding_window_log: slidingWindowLog,
  sliding_window_counter: slidingWindowCounter,
  concurrency,
  quota,
};

/**
 * The one place where the types of the six are forgotten: engines hold states of all kinds in one
 * map, and hand each only to the algorithm of its limit.
 */
export function algorithmOf(name: AlgorithmName): AnyAlgorithm {
  return table[name] as AnyAlgorithm;
}
