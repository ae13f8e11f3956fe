/** What became of calls. Of one limit: what it made of them. */
export type Counts = {
  readonly allowed: number;
  readonly warned: number;
  readonly blocked: number;
  readonly degraded: number;
  readonly would_block: number;
};

export type Step = 'minute' | 'hour' | 'day';

export type UsagePoint = Counts & { readonly at: string };

export type UsageReport = {
  readonly from: string;
  readonly to: string;
  readonly step: Step;
  /** Null for calls as a whole. */
  readonly limit_name: string | null;
  readonly complete_until: string | null;
  readonly points: readonly UsagePoint[];
  readonly totals: Counts;
  readonly limits: readonly {
    readonly name: string;
    readonly allowed: number;
    readonly blocked: number;
    readonly would_block: number;
  }[];
  /** By resource, where that was asked for: the busiest first. */
  readonly groups: readonly {
    readonly name: string;
    readonly points: readonly UsagePoint[];
    readonly totals: Counts;
  }[];
  readonly summary: string;
};
