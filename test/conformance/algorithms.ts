import fc from 'fast-check';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';

/** One limit of five for each algorithm that counts what calls cost. */
export const rated = {
  token_bucket: { algorithm: 'token_bucket', capacity: 5, refillPerSecond: 1 },
  fixed_window: { algorithm: 'fixed_window', limit: 5, window: '10 s' },
  first_request_window: {
    algorithm: 'fixed_window',
    limit: 5,
    window: '10 s',
    align: 'first_request',
  },
  sliding_window_log: { algorithm: 'sliding_window_log', limit: 5, window: '10 s' },
  sliding_window_counter: { algorithm: 'sliding_window_counter', limit: 5, window: '10 s' },
  quota: { algorithm: 'quota', limit: 5, period: 'hour' },
} as const satisfies Record<string, LimitInput>;

export type RatedName = keyof typeof rated;

export const ratedNames = Object.keys(rated) as RatedName[];

export const slots = {
  algorithm: 'concurrency',
  maxConcurrent: 5,
  staleAfter: '10 s',
} as const satisfies LimitInput;

/** Longer than any window, fill time or period of the limits above. */
export const foreverMs = 2 * 3_600_000;

const limit = fc.integer({ min: 1, max: 40 });
const windowMs = fc.constantFrom(1, 7, 1000, 60_000, 3_600_000, 7_200_000);

/** Limits with awkward numbers: fractional rates, windows of a millisecond and of hours. */
export const anyNumbers: Record<RatedName, fc.Arbitrary<LimitInput>> = {
  token_bucket: fc.record({
    algorithm: fc.constant('token_bucket' as const),
    capacity: limit,
    refill: fc.record({
      tokens: fc.constantFrom(1, 3, 7, 999, 700_001),
      every: fc.constantFrom(1, 13, 1000, 86_400_000),
    }),
  }),
  fixed_window: fc.record({
    algorithm: fc.constant('fixed_window' as const),
    limit,
    window: windowMs,
  }),
  first_request_window: fc.record({
    algorithm: fc.constant('fixed_window' as const),
    limit,
    window: windowMs,
    align: fc.constant('first_request' as const),
  }),
  sliding_window_log: fc.record({
    algorithm: fc.constant('sliding_window_log' as const),
    limit,
    window: windowMs,
  }),
  sliding_window_counter: fc.record({
    algorithm: fc.constant('sliding_window_counter' as const),
    limit,
    window: windowMs,
  }),
  quota: fc.record({
    algorithm: fc.constant('quota' as const),
    limit,
    period: fc.constantFrom('hour', 'day', 'month'),
    timezone: fc.constantFrom('UTC', 'America/New_York', 'Asia/Kathmandu'),
  }),
};

/** A call: what it costs, as a share of the limit, and how long after the one before. */
export type Step = { readonly share: number; readonly waitShare: number };

export const anySteps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    share: fc.constantFrom(0.01, 0.1, 0.3, 0.5, 1),
    waitShare: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1.2, noNaN: true })),
  }),
  { minLength: 1, maxLength: 12 },
);
