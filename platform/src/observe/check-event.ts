import { Decision, type Basis, type Epoch } from 'sluice/core';

/** One check and its answer, as whoever watches is told of it. */
export type CheckEvent = {
  /** The HTTP route as registered (`/v1/check`), or another door's own name (`envoy.rls`). */
  readonly route: string;
  /** The tenant's id. */
  readonly tenant: string;
  readonly tier: string;
  /** The version of the configuration that it was decided by. */
  readonly epoch: Epoch;
  readonly planId: string | null;
  readonly policy: string | null;
  readonly subject: string;
  readonly resource: string;
  readonly decision: Decision;
  readonly durationUs: number;
  readonly requestId: string | null;
};

/**
 * Whoever is told of checks. It waits for nothing and never throws. All are told the same time of a
 * check, so that one's second is the other's; now, unless said.
 */
export type CheckSink = {
  check(event: CheckEvent, atMs?: number): void;
  /** The same of several, where that takes less. */
  checks?(events: readonly CheckEvent[], atMs: number): void;
};

export const outcomes = ['allowed', 'blocked', 'warned', 'shadowed', 'degraded'] as const;
export type Outcome = (typeof outcomes)[number];

/** Whether who decided was less than sure. A refusal can be that too, though its outcome is blocked. */
const weakens: Readonly<Record<Basis, boolean>> = {
  exact: false,
  local: true,
  fail_open: true,
  fail_closed: true,
};

export function isDegraded({ basis, degradedReason }: Decision): boolean {
  return weakens[basis] || degradedReason !== null;
}

/**
 * One word for a decision, the weightiest that is true of it. A refusal is felt by the caller, so it
 * comes first; a degraded answer says that the limits were not (all) counted, so it comes before
 * what they would have said; a warning is seen by the caller, a shadow by us alone.
 */
export function outcomeOf(decision: Decision): Outcome {
  if (!decision.allowed) return 'blocked';
  if (isDegraded(decision)) return 'degraded';
  return wouldBlockMode(decision) ?? 'allowed';
}

function wouldBlockMode(decision: Decision): 'warned' | 'shadowed' | null {
  const { question, answer } = Decision.factsOf(decision);
  let shadowed = false;
  for (let at = 0; at < answer.readings.length; at += 1) {
    if (answer.readings[at]?.verdict === 'ok') continue;
    const mode = question.limits[at]?.limit.mode;
    if (mode === 'warn') return 'warned';
    if (mode === 'shadow') shadowed = true;
  }
  return shadowed ? 'shadowed' : null;
}

/** Whether a warn or shadow limit would have refused, whatever the enforced ones decided. */
export function wouldBlock(decision: Decision): boolean {
  return wouldBlockMode(decision) !== null;
}

/** Of the limit shown; null when none is. */
export function algorithmOf(decision: Decision): string | null {
  return Decision.shownOf(decision)?.bound.limit?.numbers.algorithm ?? null;
}
