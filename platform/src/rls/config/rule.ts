import type { LimitInput } from 'sluice/core';
import type { RlsUnit } from '../ask.ts';

/** What a descriptor in a file may do, and how it is reported. Immutable. */
export type Rule = {
  /** Shown to gateways, and what `replaces` refers to. */
  readonly name: string | null;
  /** Rules of the same request that do not count beside this one, by name. */
  readonly replaces: readonly string[];
  readonly amount: Amount;
  /** Counts, and never refuses. */
  readonly isShadow: boolean;
  /** Refuses only where all such rules of the request would. */
  readonly isQuota: boolean;
  /** What it is charged has happened already, and counts even where it does not fit. */
  readonly isAfterResponse: boolean;
  /** Null: every request asks. */
  readonly grant: Grant | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
};

/** What a gateway gets beyond what it asked for, to let pass without asking. */
export type Grant = {
  readonly requests: number;
  /** How long at most; null for as long as what was charged for it counts. */
  readonly seconds: number | null;
};

export type Amount =
  | { readonly kind: 'unlimited' }
  | { readonly kind: 'rate'; readonly requestsPerUnit: number; readonly unit: RlsUnit }
  /** One of our own algorithms; `wire` is how the API spells it. */
  | {
      readonly kind: 'algorithm';
      readonly input: LimitInput;
      readonly wire: Readonly<Record<string, unknown>>;
    };
