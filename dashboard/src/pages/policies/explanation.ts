/** What `POST /v1/admin/policies/explain` answers. */

export type ExplainedLimit = {
  readonly name: string;
  readonly applies: boolean;
  readonly because: string;
  readonly defined_by: { readonly kind: string; readonly id?: string };
  readonly algorithm?: string;
  readonly unit?: string;
  readonly cost?: number;
  readonly per?: readonly string[];
  readonly level?: string;
  readonly limit?: number;
  readonly on_store_failure?: string;
  readonly skipped_by?: readonly string[];
  readonly mode?: string;
  readonly mode_because?: string;
  readonly enforce_from?: string | null;
  readonly numbers?: Readonly<Record<string, unknown>>;
  readonly base_numbers?: Readonly<Record<string, unknown>>;
  readonly override?: { readonly id: string; readonly of: string } | null;
};

export type MatchedPolicy = {
  readonly id: string;
  readonly resource: string;
  readonly cost: number | null;
  readonly costs: Readonly<Record<string, number>>;
  readonly max_cost: number | null;
  readonly mode: string | null;
  readonly limits: readonly string[];
};

export type Explanation = {
  readonly tenant: {
    readonly id: string;
    readonly name: string;
    readonly tier: string;
    readonly status: string;
  };
  readonly allowed_without_limits: boolean;
  readonly plan: { readonly id: string; readonly name: string; readonly because: string } | null;
  readonly resource: {
    readonly asked: string;
    readonly counted: string;
    readonly because: string;
  };
  readonly policies: readonly MatchedPolicy[];
  readonly cost: number;
  readonly costs: Readonly<Record<string, number>>;
  readonly cost_because: string;
  readonly block: {
    readonly id: string;
    readonly action: string;
    readonly expires_at: string | null;
  } | null;
  readonly limits: readonly ExplainedLimit[];
};
