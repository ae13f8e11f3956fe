import type { BoundLimit } from '../../../limiter/src/core/engine.ts';
import type { LimitInput } from '../../../limiter/src/core/limit-input.ts';
import { limitOf } from '../../support/limits.ts';

const dayMs = 86_400_000;
export const subjectCount = 40;
export const teamCount = 24;

/**
 * Limits in two units that lose nothing with time while a test runs, so that what is used is what
 * was charged. `share` makes them smaller for fewer steps, so that some calls are always refused.
 */
export function ledgerLimits(share: number, nowMs: number) {
  const sized = (size: number) => Math.max(100, Math.ceil(size * share));
  const inputs = {
    subject: {
      algorithm: 'fixed_window',
      name: 'subject',
      per: ['subject'],
      unit: 'tokens',
      limit: sized(40_000),
      window: '1 day',
      align: 'first_request',
    },
    year: {
      algorithm: 'quota',
      name: 'year',
      per: ['subject'],
      unit: 'tokens',
      limit: sized(45_000),
      period: 'year',
      // Another year begins at another time: never while this runs.
      timezone: isNewYear(nowMs) ? 'Pacific/Kiritimati' : 'UTC',
    },
    team: {
      algorithm: 'sliding_window_log',
      name: 'team',
      per: ['attributes.team'],
      limit: Math.min(10_000, sized(6_000)),
      window: '1 day',
    },
    all: {
      algorithm: 'sliding_window_counter',
      name: 'all',
      per: ['tenant'],
      limit: sized(120_000),
      window: calmWindowMs(nowMs),
    },
  } as const satisfies Record<string, LimitInput>;
  return [inputs.subject, inputs.year, inputs.team, inputs.all].map(limitOf);
}

/** A sliding counter's windows are where the clock is: one of these does not end today. */
function calmWindowMs(nowMs: number): number {
  const windows = [30 * dayMs, 31 * dayMs];
  return windows.find((windowMs) => nowMs % windowMs < windowMs - dayMs) ?? dayMs;
}

function isNewYear(nowMs: number): boolean {
  const later = new Date(nowMs + dayMs / 24);
  return later.getUTCFullYear() !== new Date(nowMs).getUTCFullYear();
}

/** Whom each limit counts, in the order above. */
export function partsOf(subject: number): readonly (readonly string[])[] {
  const team = `team-${subject % teamCount}`;
  return [[`subject-${subject}`], [`subject-${subject}`], [team], []];
}

/** Every counter there is, once, by the name that the ledger has for it. */
export function allCounters(limits: ReturnType<typeof ledgerLimits>): Map<string, BoundLimit> {
  const counters = new Map<string, BoundLimit>();
  for (let subject = 0; subject < subjectCount; subject += 1) {
    for (const [at, limit] of limits.entries()) {
      const parts = partsOf(subject)[at] ?? [];
      counters.set(counterName(limit.name, parts), { limit, parts, cost: 0 });
    }
  }
  return counters;
}

export function counterName(limit: string, parts: readonly (string | null)[]): string {
  return [limit, ...parts].join('/');
}
