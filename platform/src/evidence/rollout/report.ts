import type { Alternative, Figures, Point, Step, TopSubject } from './figures.ts';
import type { NotedChange } from './history.ts';
import type { Stage } from './stage.ts';
import type { Standing } from './standing.ts';
import type { Verdict } from './verdict.ts';

/** What is known of one limit's rollout, as the API says it. */
export type Report = Summary & Partial<Details>;

export type Summary = Figures & {
  readonly tenant_id: string;
  readonly limit: string;
  readonly defined_by: DefinedBy;
  readonly algorithm: string;
  /** Its size now, and what that is called. */
  readonly number: number;
  readonly field: string;
  /** Its mode now; null when it is not defined any more. */
  readonly stage: Standing['mode'] | null;
  readonly enforce_from: string | null;
  readonly since: string | null;
  readonly since_by: 'audit' | 'first_seen' | null;
  readonly observed: {
    /** The stage that the figures are of; null when it was in none. */
    readonly stage: Stage | null;
    readonly from: string;
    readonly to: string;
    readonly subjects_from: string;
    readonly first_seen: string | null;
  };
  readonly verdict: Verdict & {
    readonly thresholds: {
      readonly too_tight_above: number;
      readonly too_loose_below: number;
      readonly observe_days: number;
    };
  };
};

export type Details = {
  readonly step: Step;
  readonly series: readonly Point[];
  readonly top_subjects: readonly TopSubject[];
  readonly suggestion: Suggestion;
  readonly alternatives: readonly Alternative[];
  readonly since_promotion: {
    readonly at: string | null;
    readonly changes: readonly NotedChange[];
    readonly before: StageFigures | null;
    readonly after: StageFigures | null;
  };
};

export type StageFigures = Figures & { readonly stage: Stage };

export type Suggestion = {
  readonly at_most: number;
  readonly field: string;
  readonly number: number | null;
  /** How well that is known. */
  readonly known: (typeof knownHow)[number];
};

export const knownHow = ['exact', 'estimate', 'at_least'] as const;

export const definerKinds = ['plan', 'policy', 'quota'] as const;

export type DefinedBy = {
  readonly kind: (typeof definerKinds)[number];
  readonly id: string | null;
  /** Of a policy: its pattern. */
  readonly resource: string | null;
};

const ofPolicy = 'policy ';

export function definedByOf(text: string, id: string | null): DefinedBy {
  if (text.startsWith(ofPolicy)) {
    return { kind: 'policy', id, resource: text.slice(ofPolicy.length) };
  }
  return { kind: text === 'quota' ? 'quota' : 'plan', id, resource: null };
}

/** As a limit that the policy for this pattern defines is known by. */
export function definedByPolicy(resource: string): string {
  return `${ofPolicy}${resource}`;
}

/** The number that says how much there is. */
export function sizeField(algorithm: string): string {
  if (algorithm === 'token_bucket') return 'bucket_capacity';
  return algorithm === 'concurrency' ? 'max_concurrent' : 'limit';
}
