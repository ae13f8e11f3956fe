import type { CalendarPeriod } from './calendar/index.ts';
import type { Duration } from './duration.ts';
import type { MissingAttribute, Mode, PerPart, StoreFailurePolicy } from './limit.ts';

/** What a user may say of any limit. */
export type LimitOptions = {
  /** Unique among the limits of a limiter; default: the algorithm's name. */
  readonly name?: string;
  /** What a call costs on this limit: `requests` (default: `cost`) or a name in `costs`. */
  readonly unit?: string;
  /** What one counter is for. Default: tenant, subject and resource. */
  readonly per?: readonly PerPart[];
  /** When an attribute in `per` is absent: one shared counter, no limit, or an error. */
  readonly onMissing?: MissingAttribute;
  /** `on` is another word for `enforce`, `monitor` for `shadow`. */
  readonly mode?: Mode | 'on' | 'monitor';
  /** What a failed store means for this limit. Default `open`. */
  readonly onStoreFailure?: StoreFailurePolicy;
  /** After a refusal the subject is refused for this long, whatever the counter says. */
  readonly blockFor?: Duration;
  readonly blockGrowth?: number;
  readonly blockMax?: Duration;
  /** Advises callers to wait before they are refused; default not at all. */
  readonly backpressure?: {
    /** From which share of the limit on; default 0.8. */
    readonly from?: number;
    /** Default 200. */
    readonly maxDelayMs?: number;
    readonly curve?: 'quadratic' | 'linear';
  };
  /** Guards something: fails closed by default, and refuses rather than delays. */
  readonly security?: boolean;
  /** Needed for a `security` limit that only warns or watches. */
  readonly confirm?: boolean;
};

export type TokenBucketOptions = LimitOptions & {
  readonly capacity: number;
  /** At most six decimal places; slower rates as `refill`. */
  readonly refillPerSecond?: number;
  readonly refill?: { readonly tokens: number; readonly every: Duration };
};

export type WindowOptions = LimitOptions & { readonly limit: number; readonly window: Duration };

export type FixedWindowOptions = WindowOptions & { readonly align?: 'clock' | 'first_request' };

export type ConcurrencyOptions = LimitOptions & {
  readonly maxConcurrent: number;
  /** A ticket that is neither released nor renewed for this long gives its slot back. */
  readonly staleAfter: Duration;
};

export type QuotaOptions = LimitOptions & {
  readonly limit: number;
  readonly period: CalendarPeriod;
  /** The billing day of the month, or a date `YYYY-MM-DD` that periods are counted from. */
  readonly anchor?: number | string;
  /** An IANA name such as `Europe/Berlin`. Default UTC. */
  readonly timezone?: string;
};

export type LimitInput =
  | ({ readonly algorithm: 'token_bucket' } & TokenBucketOptions)
  | ({ readonly algorithm: 'fixed_window' } & FixedWindowOptions)
  | ({ readonly algorithm: 'sliding_window_log' } & WindowOptions)
  | ({ readonly algorithm: 'sliding_window_counter' } & WindowOptions)
  | ({ readonly algorithm: 'concurrency' } & ConcurrencyOptions)
  | ({ readonly algorithm: 'quota' } & QuotaOptions);
