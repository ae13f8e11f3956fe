import type { CanonicalLimit } from 'sluice/contract';
import type { LimitDraft } from './draft.ts';

export type AlgorithmName = CanonicalLimit['algorithm'];

export type AlgorithmWords = {
  readonly label: string;
  /** What it does, and what it does not. */
  readonly about: string;
  /** Which number says how much there is. */
  readonly size: string;
  /** To begin with. */
  readonly numbers: LimitDraft;
  readonly optional: readonly string[];
};

const minute = { limit: 100, window_seconds: 60 };

export const algorithms: Readonly<Record<AlgorithmName, AlgorithmWords>> = {
  token_bucket: {
    label: 'Token bucket',
    about: 'Bursts up to the capacity, then as fast as it refills.',
    size: 'bucket_capacity',
    numbers: { bucket_capacity: 100, refill_rate_per_sec: 20 },
    optional: [],
  },
  fixed_window: {
    label: 'Fixed window',
    about: 'So many in each window. Around its edge twice as many can come at once.',
    size: 'limit',
    numbers: minute,
    optional: ['align'],
  },
  sliding_window_log: {
    label: 'Sliding window, exact log',
    about: 'Never more in any window, to the microsecond. Remembers every call.',
    size: 'limit',
    numbers: minute,
    optional: [],
  },
  sliding_window_counter: {
    label: 'Sliding window, counter',
    about: 'Nearly as fair as the log, with two counters however large the limit.',
    size: 'limit',
    numbers: minute,
    optional: [],
  },
  concurrency: {
    label: 'Concurrency',
    about: 'So many calls at once, however long each takes.',
    size: 'max_concurrent',
    numbers: { max_concurrent: 10, stale_after_seconds: 30 },
    optional: [],
  },
  quota: {
    label: 'Quota',
    about: 'An allowance for a calendar period, such as a billing month.',
    size: 'limit',
    numbers: { limit: 100_000, period: 'month' },
    optional: ['anchor', 'timezone'],
  },
};

export const algorithmNames = Object.keys(algorithms) as AlgorithmName[];

const own = new Set(
  Object.values(algorithms).flatMap(({ numbers, optional }) => [
    ...Object.keys(numbers),
    ...optional,
  ]),
);

/** Whether the field is a number of some algorithm, rather than of every limit. */
export function isOwn(field: string): boolean {
  return own.has(field) || field === 'algorithm';
}
