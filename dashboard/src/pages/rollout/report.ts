import type { Tone } from '../../ui/Badge.tsx';

/** What a limit on trial would have done, as the API tells it. */

export type Stage = 'off' | 'shadow' | 'warn' | 'enforce';
export type Verdict = 'too_tight' | 'too_loose' | 'observe_longer' | 'ready';

export type Figures = {
  readonly calls: number;
  readonly would_refuse: number;
  readonly share_of_calls: number | null;
  readonly subjects: number;
  readonly refused_subjects: number;
  readonly share_of_subjects: number | null;
};

export type Report = Figures & {
  readonly tenant_id: string;
  readonly limit: string;
  readonly defined_by: {
    readonly kind: 'plan' | 'policy' | 'quota';
    readonly id: string | null;
    readonly resource: string | null;
  };
  readonly algorithm: string;
  readonly number: number;
  readonly field: string;
  readonly stage: Stage | null;
  readonly enforce_from: string | null;
  readonly since: string | null;
  readonly observed: {
    readonly stage: 'shadow' | 'warn' | null;
    readonly from: string;
    readonly to: string;
  };
  readonly sampled: boolean;
  readonly sample: { readonly share: number; readonly subjects: number };
  readonly verdict: {
    readonly verdict: Verdict;
    readonly reason: string;
    readonly thresholds: { readonly too_tight_above: number };
  };
};

export type FullReport = Report & {
  readonly step: 'hour' | 'day';
  readonly series: readonly (Figures & { readonly at: string })[];
  readonly top_subjects: readonly TopSubject[];
  readonly suggestion: {
    readonly at_most: number;
    readonly number: number | null;
    readonly known: 'exact' | 'estimate' | 'at_least';
  };
  readonly alternatives: readonly Alternative[];
  readonly since_promotion: {
    readonly at: string | null;
    readonly changes: readonly NotedChange[];
    readonly before: StageFigures | null;
    readonly after: StageFigures | null;
  };
};

export type TopSubject = {
  readonly subject: string;
  readonly calls: number;
  readonly would_refuse: number;
  readonly peak: number;
};
export type Alternative = {
  readonly number: number;
  readonly refused_subjects: number;
  readonly share_of_subjects: number;
};
export type NotedChange = {
  readonly audit_id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly noun: string;
  readonly object_id: string;
};
export type StageFigures = Figures & { readonly stage: string };

const verdicts: Readonly<Record<Verdict, { readonly label: string; readonly tone: Tone }>> = {
  ready: { label: 'Ready', tone: 'good' },
  too_tight: { label: 'Too tight', tone: 'bad' },
  too_loose: { label: 'Too loose', tone: 'warning' },
  observe_longer: { label: 'Observe longer', tone: 'neutral' },
};

export function verdictInWords(verdict: Verdict): { readonly label: string; readonly tone: Tone } {
  return verdicts[verdict];
}

const stageTones: Readonly<Record<Stage, Tone>> = {
  off: 'neutral',
  shadow: 'odd',
  warn: 'warning',
  enforce: 'good',
};

export function toneOf(stage: Stage): Tone {
  return stageTones[stage];
}

/** To three figures, so that a small share is not shown as none. */
export function percent(share: number | null): string {
  return share === null ? '–' : `${Number((share * 100).toPrecision(3))} %`;
}

/** `plan`, `policy POST:/search`. */
export function definerOf({ defined_by: { kind, resource } }: Report): string {
  return resource === null ? kind : `${kind} ${resource}`;
}
