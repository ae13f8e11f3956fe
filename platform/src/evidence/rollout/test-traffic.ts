// Traffic for the tests of this folder: decided by a real limiter, and told to a collector.

import { createLimiter, type LimitInput } from 'sluice';
import type { Decision } from 'sluice/core';
import type { CheckEvent } from '../../observe/index.ts';
import { RolloutCollector, type CollectorBounds, type LimitRows } from './collector.ts';
import { SubjectNames } from './subject-names.ts';

export const tenantId = '01990000-0000-7000-8000-000000000001';
export const names = new SubjectNames('the secret of tests');

export type Call = {
  readonly subject: string;
  readonly cost: number;
  /** Since the call before. */
  readonly afterUs: number;
};

const startUs = Date.UTC(2026, 0, 15, 12) * 1000;

/** What a limit says to each of these calls. */
export function decide(limit: LimitInput, calls: readonly Call[]): Decision[] {
  let nowUs = startUs;
  const limiter = createLimiter({ limits: [limit], clock: () => nowUs });
  return calls.map(({ subject, cost, afterUs }) => {
    nowUs += afterUs;
    return limiter.checkSync({ resource: 'GET:/a', subject, cost });
  });
}

/** Who was refused at least once. */
export function refusedBy(limit: LimitInput, calls: readonly Call[]): Set<string> {
  const decisions = decide(limit, calls);
  return new Set(calls.filter((_, at) => !decisions[at]?.allowed).map(({ subject }) => subject));
}

export function eventOf(subject: string, decision: Decision, tenant = tenantId): CheckEvent {
  return {
    route: '/v1/check',
    tenant,
    tier: 'pro',
    epoch: { tenant: 1, shared: 1 },
    planId: null,
    policy: null,
    subject,
    resource: 'GET:/a',
    decision,
    durationUs: 1,
    requestId: null,
  };
}

export function collectorWith(bounds: Partial<CollectorBounds> = {}) {
  const untracked: string[] = [];
  const onUntracked = (what: string) => void untracked.push(what);
  return { collector: new RolloutCollector({ names, onUntracked, bounds }), untracked };
}

/** What a collector makes of it. */
export function collect(limit: LimitInput, calls: readonly Call[]): LimitRows[] {
  const { collector } = collectorWith();
  const decisions = decide(limit, calls);
  calls.forEach(({ subject }, at) => {
    collector.check(eventOf(subject, decisions[at] as Decision));
  });
  return collector.take();
}

/** The greatest demand that each subject's calls met. */
export function peaksOf(limit: LimitInput, calls: readonly Call[]): Map<string, number> {
  const peaks = new Map<string, number>();
  for (const { hours } of collect({ ...limit, mode: 'shadow' }, calls)) {
    for (const { subject, peak } of hours.flatMap(({ subjects }) => subjects)) {
      peaks.set(subject, Math.max(peaks.get(subject) ?? 0, peak));
    }
  }
  return peaks;
}
