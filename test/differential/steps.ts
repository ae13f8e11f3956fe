import fc from 'fast-check';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';

/** One step of a random schedule. Limits and subjects are named by number, taken modulo. */
export type Step =
  | { readonly kind: 'decide'; readonly questions: readonly Asked[] }
  | { readonly kind: 'wait'; readonly us: number }
  | { readonly kind: 'change'; readonly limit: number; readonly numbers: number }
  | { readonly kind: 'refund'; readonly charge: number; readonly share: number }
  | { readonly kind: 'refundCharge'; readonly charge: number; readonly cost: number | null }
  | { readonly kind: 'settle'; readonly reservation: number; readonly cost: number }
  | { readonly kind: 'renew'; readonly held: number; readonly ttlMs: number | undefined }
  | { readonly kind: 'release'; readonly ticket: number }
  | { readonly kind: 'inspect'; readonly subject: number }
  | { readonly kind: 'reset'; readonly limit: number; readonly subject: number };

export type Asked = {
  readonly subject: number;
  /** A cost for each limit in turn; null leaves the limit out. */
  readonly costs: readonly (number | null)[];
  readonly peek: boolean;
  readonly idempotencyKey: number | null;
  readonly reserve: { readonly ttlMs: number; readonly onExpiry: 'refund' | 'keep' } | null;
  readonly refundable: boolean;
};

const cost = fc.oneof(
  { weight: 10, arbitrary: fc.constant(1) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 12 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 200 }) },
);

const asked: fc.Arbitrary<Asked> = fc.record({
  subject: fc.nat({ max: 2 }),
  costs: fc.array(fc.oneof({ weight: 5, arbitrary: cost }, fc.constant(null)), {
    minLength: 6,
    maxLength: 6,
  }),
  peek: fc.integer({ min: 0, max: 9 }).map((roll) => roll === 0),
  idempotencyKey: fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, fc.nat({ max: 5 })),
  reserve: fc.oneof(
    { weight: 7, arbitrary: fc.constant(null) },
    fc.record({
      ttlMs: fc.integer({ min: 1, max: 20_000 }),
      onExpiry: fc.constantFrom('refund' as const, 'keep' as const),
    }),
  ),
  refundable: fc.boolean(),
});

const yearUs = 366 * 86_400_000_000;

/** Mostly forward, by microseconds to windows; at times back, at times a year. */
const waitUs = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 2_000_000 }) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 90_000_000 }) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 20 }) },
  { weight: 2, arbitrary: fc.integer({ min: -5_000_000, max: 0 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: yearUs }) },
);

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 24,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      // From four on a script is linked that reads each limit's numbers once.
      questions: fc.oneof(
        { weight: 3, arbitrary: fc.array(asked, { minLength: 1, maxLength: 3 }) },
        { weight: 1, arbitrary: fc.array(asked, { minLength: 4, maxLength: 6 }) },
      ),
    }),
  },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('wait' as const), us: waitUs }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      limit: fc.nat({ max: 5 }),
      numbers: fc.nat({ max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('refund' as const),
      charge: fc.nat({ max: 20 }),
      share: fc.integer({ min: 0, max: 100 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('refundCharge' as const),
      charge: fc.nat({ max: 20 }),
      cost: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 12 })),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      reservation: fc.nat({ max: 5 }),
      cost: fc.integer({ min: 0, max: 30 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('renew' as const),
      held: fc.nat({ max: 5 }),
      ttlMs: fc.oneof(fc.constant(undefined), fc.integer({ min: 1, max: 40_000 })),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('release' as const), ticket: fc.nat({ max: 5 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('inspect' as const), subject: fc.nat({ max: 2 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('reset' as const),
      limit: fc.nat({ max: 5 }),
      subject: fc.nat({ max: 2 }),
    }),
  },
);

type Of<A extends LimitInput['algorithm']> = Extract<LimitInput, { algorithm: A }>;
type Unnamed<L> = Omit<L, 'name' | 'algorithm'>;

/** For each algorithm the numbers that a limit goes through as it is changed. */
export const numbersToTry = {
  token_bucket: [
    { capacity: 10, refillPerSecond: 2 },
    { capacity: 10, refillPerSecond: 0.7 },
    { capacity: 30, refillPerSecond: 1500 },
    { capacity: 5, refill: { tokens: 1, every: '30 d' } },
    { capacity: 100, refill: { tokens: 7001, every: '1 h' } },
  ] satisfies Unnamed<Of<'token_bucket'>>[],
  fixed_window: [
    { limit: 10, window: '10 s' },
    { limit: 5, window: '3 s' },
    { limit: 20, window: '1 min' },
    { limit: 10, window: '7 s', align: 'first_request' },
    { limit: 2, window: '1 h', align: 'first_request' },
  ] satisfies Unnamed<Of<'fixed_window'>>[],
  sliding_window_log: [
    { limit: 10, window: '10 s' },
    { limit: 4, window: '1 min' },
    { limit: 150, window: '30 s' },
    { limit: 10, window: '1 s' },
    { limit: 3, window: '2 h' },
  ] satisfies Unnamed<Of<'sliding_window_log'>>[],
  sliding_window_counter: [
    { limit: 10, window: '10 s' },
    { limit: 4, window: '1 min' },
    { limit: 150, window: '3 s' },
    { limit: 10, window: '2 h' },
    { limit: 1000, window: '30 d' },
  ] satisfies Unnamed<Of<'sliding_window_counter'>>[],
  concurrency: [
    { maxConcurrent: 3, staleAfter: '10 s' },
    { maxConcurrent: 1, staleAfter: '30 s' },
    { maxConcurrent: 8, staleAfter: '1 s' },
    { maxConcurrent: 2, staleAfter: '1 min' },
    { maxConcurrent: 3, staleAfter: '1 h' },
  ] satisfies Unnamed<Of<'concurrency'>>[],
  quota: [
    { limit: 40, period: 'day', timezone: 'America/New_York' },
    { limit: 10, period: 'day', timezone: 'Asia/Kathmandu' },
    { limit: 100, period: 'day' },
    { limit: 15, period: 'day', timezone: 'Australia/Lord_Howe' },
    { limit: 40, period: 'day', timezone: 'Pacific/Apia' },
  ] satisfies Unnamed<Of<'quota'>>[],
} as const;

const algorithms = Object.keys(numbersToTry) as LimitInput['algorithm'][];

/** A limit of a schedule: which algorithm, its mode, whether a refusal is punished, and whose it is. */
export type Drawn = {
  readonly algorithm: LimitInput['algorithm'];
  readonly mode: 'enforce' | 'shadow';
  readonly punished: boolean;
  readonly global: boolean;
};

export const drawn: fc.Arbitrary<Drawn> = fc.record({
  algorithm: fc.constantFrom(...algorithms),
  mode: fc.constantFrom(
    'enforce' as const,
    'enforce' as const,
    'enforce' as const,
    'shadow' as const,
  ),
  punished: fc.integer({ min: 0, max: 5 }).map((roll) => roll === 0),
  global: fc.integer({ min: 0, max: 2 }).map((roll) => roll === 0),
});

/**
 * What a cluster answers as one Redis does. There a global limit is charged and given back for a
 * check that the tenant refuses: later questions of the same call may meet it in between, and a
 * state that was charged once is one of today's numbers and today's clock.
 */
export function steady(step: Step): Step | null {
  if (step.kind === 'change') return null;
  if (step.kind === 'wait') return { kind: 'wait', us: Math.abs(step.us) };
  if (step.kind === 'decide') return { kind: 'decide', questions: step.questions.slice(0, 1) };
  return step;
}
