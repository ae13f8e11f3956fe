import type { CalendarPeriod } from '../core/calendar/index.ts';
import type { MissingAttribute, Mode, PerPart, StoreFailurePolicy } from '../core/limit.ts';

/** `on` is another word for `enforce`, `monitor` for `shadow`. */
export type WireMode = Mode | 'on' | 'monitor';

/** What may be said of any limit. */
export type WireLimitOptions = {
  /** Unique in its plan or policy; default: the algorithm's name. */
  readonly name?: string;
  readonly unit?: string;
  readonly per?: readonly PerPart[];
  readonly on_missing?: MissingAttribute;
  /** Patterns it applies to; default all. */
  readonly resources?: readonly string[];
  /** Attribute values it applies to, such as `{"attributes.feature":["beta"]}`; default all. */
  readonly when?: Readonly<Record<`attributes.${string}`, readonly string[]>>;
  /** How much there is, as a share of another limit of the same plan or policy. */
  readonly share_of?: ShareOf;
  readonly mode?: WireMode;
  readonly on_store_failure?: StoreFailurePolicy;
  readonly consistency?: 'exact';
  readonly block_for_seconds?: number;
  readonly block_growth?: number;
  readonly block_max_seconds?: number;
  readonly backpressure?: {
    readonly from?: number;
    readonly max_delay_ms?: number;
    readonly curve?: 'quadratic' | 'linear';
  };
  readonly security?: boolean;
  readonly confirm?: boolean;
};

/** Rounded down, at least 1. */
export type ShareOf = { readonly limit: string; readonly ratio: number };

export type WireTokenBucket = {
  readonly algorithm: 'token_bucket';
  readonly bucket_capacity: number;
  readonly refill_rate_per_sec: number;
};

export type WireFixedWindow = {
  readonly algorithm: 'fixed_window';
  readonly limit: number;
  readonly window_seconds: number;
  readonly align?: 'clock' | 'first_request';
};

export type WireSlidingWindow = {
  /** `sliding_window` is another word for the log. */
  readonly algorithm: 'sliding_window' | 'sliding_window_log' | 'sliding_window_counter';
  readonly limit: number;
  readonly window_seconds: number;
};

export type WireConcurrency = {
  readonly algorithm: 'concurrency';
  readonly max_concurrent: number;
  readonly stale_after_seconds: number;
};

export type WireQuota = {
  readonly algorithm: 'quota';
  readonly limit: number;
  readonly period: CalendarPeriod;
  readonly anchor?: number | string;
  readonly timezone?: string;
};

/** One rule, as the API spells it. */
export type WireLimit = WireLimitOptions &
  (WireTokenBucket | WireFixedWindow | WireSlidingWindow | WireConcurrency | WireQuota);

/**
 * As it is stored and shown: with its name, one word for each idea and no word that only repeats a
 * default of the platform, so that a changed default reaches it.
 */
export type CanonicalLimit = WireLimit & {
  readonly name: string;
  readonly algorithm: Exclude<WireLimit['algorithm'], 'sliding_window'>;
  readonly mode?: Mode;
};
