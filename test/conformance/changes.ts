import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import type { RatedName } from './algorithms.ts';

/** A limit of twenty for each algorithm, and every way in which its numbers may change. */
export type Changes = {
  readonly from: LimitInput;
  readonly to: Readonly<Record<string, LimitInput>>;
};

const bucket = { algorithm: 'token_bucket', capacity: 20, refillPerSecond: 1 } as const;

function windowChanges<T extends LimitInput & { readonly window: string | number }>(from: T) {
  return {
    from,
    to: {
      'a higher limit': { ...from, limit: 50 },
      'a lower limit': { ...from, limit: 12 },
      'a longer window': { ...from, window: '1 min' },
      'a shorter window': { ...from, window: '7 s' },
      'a higher limit and a shorter window': { ...from, limit: 50, window: '7 s' },
      'a lower limit and a longer window': { ...from, limit: 12, window: '1 min' },
    },
  };
}

const ten = { limit: 20, window: '10 s' } as const;
const hourly = { algorithm: 'quota', limit: 20, period: 'hour' } as const;

export const changes: Record<RatedName, Changes> = {
  token_bucket: {
    from: bucket,
    to: {
      'a larger bucket': { ...bucket, capacity: 50 },
      'a smaller bucket': { ...bucket, capacity: 12 },
      'a faster rate': { ...bucket, refillPerSecond: 2 },
      'a slower rate': { ...bucket, refillPerSecond: 0.5 },
      'a larger bucket and a slower rate': { ...bucket, capacity: 50, refillPerSecond: 0.5 },
      'a smaller bucket and a faster rate': { ...bucket, capacity: 12, refillPerSecond: 2 },
    },
  },
  fixed_window: windowChanges({ algorithm: 'fixed_window', ...ten }),
  first_request_window: windowChanges({
    algorithm: 'fixed_window',
    align: 'first_request',
    ...ten,
  }),
  sliding_window_log: windowChanges({ algorithm: 'sliding_window_log', ...ten }),
  sliding_window_counter: windowChanges({ algorithm: 'sliding_window_counter', ...ten }),
  quota: {
    from: hourly,
    to: {
      'a higher limit': { ...hourly, limit: 50 },
      'a lower limit': { ...hourly, limit: 12 },
      'another time zone': { ...hourly, timezone: 'Asia/Kathmandu' },
    },
  },
};
