import type { LedgerCount, LedgerOutcome } from 'sluice/core';

export const steps = ['minute', 'hour', 'day'] as const;
export type Step = (typeof steps)[number];

export const stepMs: Readonly<Record<Step, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** Stands for the call itself, beside the limits that it was counted by. */
export const wholeCall = '';

/** A row of what was used. */
export type UsageLine = {
  readonly step: Step;
  /** Unix seconds, in UTC at the beginning of a step. */
  readonly at: number;
  readonly resource: string;
  readonly limitName: string;
  readonly outcome: LedgerOutcome;
  readonly count: number;
};

/**
 * A ledger's counts as rows: for each minute, hour and day, for the call and for each limit. A label
 * is a resource and names of limits: those that applied to calls that were let in, and those that
 * refused where calls were, or would have been.
 */
export function usageLines(counts: readonly LedgerCount[]): UsageLine[] {
  const sums = new Map<string, UsageLine>();
  for (const counted of counts) {
    const end = counted.label.lastIndexOf(' ');
    const resource = counted.label.slice(0, end);
    const limits = new Set(counted.label.slice(end + 1).split(','));
    limits.delete('');
    if (counted.outcome !== 'would_block') {
      add(sums, counted, { resource, limitName: wholeCall, outcome: counted.outcome });
    }
    const outcome = ofLimit[counted.outcome];
    if (outcome === null) continue;
    for (const limitName of limits) add(sums, counted, { resource, limitName, outcome });
  }
  return [...sums.values()];
}

/** What became of a call is not what a limit made of it: it let in whoever was let in. */
const ofLimit: Readonly<Record<LedgerOutcome, LedgerOutcome | null>> = {
  allowed: 'allowed',
  warned: 'allowed',
  blocked: 'blocked',
  would_block: 'would_block',
  degraded: null,
};

function add(
  sums: Map<string, UsageLine>,
  { minute, count }: LedgerCount,
  named: Pick<UsageLine, 'resource' | 'limitName' | 'outcome'>,
): void {
  for (const step of steps) {
    const at = startOf(step, minute * stepMs.minute) / 1000;
    const key = [step, at, named.limitName, named.outcome, named.resource].join(' ');
    const before = sums.get(key)?.count ?? 0;
    sums.set(key, { step, at, ...named, count: before + count });
  }
}

/** UTC days have no other length, so that all steps are aligned to the Unix epoch. */
export function startOf(step: Step, atMs: number): number {
  return Math.floor(atMs / stepMs[step]) * stepMs[step];
}
