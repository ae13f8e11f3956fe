/** A tenant's allowance as the API tells it, with what is used of it. */

export const periods = ['hour', 'day', 'week', 'month', 'year'] as const;
export type Period = (typeof periods)[number];

export const modes = ['off', 'shadow', 'warn', 'enforce'] as const;
export type Mode = (typeof modes)[number];

type Terms = {
  readonly tenant_id: string;
  readonly name: string;
  readonly period: Period;
  readonly unit: string;
  readonly limit: number;
  /** Null inherits. */
  readonly mode: Mode | null;
  readonly overcommit: boolean;
  readonly version: number;
};

export type Quota = Terms & {
  readonly teams: Readonly<
    Record<string, { readonly users: Readonly<Record<string, unknown>>; readonly limit: number }>
  >;
};

/** One level of it. Null while the store can't be asked. */
export type Counted = {
  readonly limit: number;
  readonly used: number | null;
  readonly remaining: number | null;
};

export type QuotaReport = Terms & {
  readonly starts_at: string;
  readonly ends_at: string;
  /** With the top-ups. */
  readonly effective_limit: number;
  readonly used: number | null;
  readonly remaining: number | null;
  readonly teams: Readonly<
    Record<string, Counted & { readonly users: Readonly<Record<string, Counted>> }>
  >;
  readonly top_ups: readonly TopUp[];
};

export type TopUp = {
  readonly id: string;
  readonly amount: number;
  readonly reason: string;
  readonly author: string;
  readonly ends_at: string;
  readonly created_at: string;
};
