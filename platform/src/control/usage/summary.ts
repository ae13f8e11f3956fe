import type { Span } from './span.ts';
import type { Counts, LimitCounts } from './usage.ts';

/** Sentences that can be sent to a customer as they are. */

const numbers = new Intl.NumberFormat('en-US');

/** What a summary is about. */
export type Summarized = Span & {
  /** One limit, rather than the calls. */
  readonly limitName?: string | undefined;
  readonly nowMs?: number;
};

/** "1,204 calls since 10:00 UTC on 2026-11-16: 1,180 allowed, 24 refused, all by search-per-minute." */
export function usageSummary(
  totals: Counts,
  limits: readonly LimitCounts[],
  { limitName, nowMs = Date.now(), ...span }: Summarized,
): string {
  if (limitName !== undefined) {
    return `${limitName} ${madeOf(totals, periodOf(span, nowMs))}.`;
  }
  const { allowed, warned, degraded, blocked } = totals;
  const all = allowed + warned + degraded + blocked;
  const when = periodOf(span, nowMs);
  if (all === 0) return `No calls ${when}.`;
  const parts = [
    allowed > 0 && `${count(allowed)} allowed`,
    warned > 0 && `${count(warned)} allowed with a warning or watched`,
    degraded > 0 && `${count(degraded)} allowed while limits could not be checked`,
    blocked > 0 && `${count(blocked)} refused${refusers(blocked, limits)}`,
  ].filter((part) => part !== false);
  return `${calls(all)} ${when}: ${parts.join(', ')}.`;
}

export type LimitStanding = {
  readonly unit: string;
  readonly mode: string;
  readonly limit: number;
  /** Null where it was not said whose. */
  readonly used: number | null;
  readonly remaining: number | null;
  /** Unix seconds. */
  readonly reset_at: number | null;
  readonly blocked_until: number | null;
};

/**
 * "search-per-minute: 100 of 100 requests used, 0 left, all back by 10:05:30 UTC on 2026-11-16. It
 * let in 1,180 calls and refused 24 since 10:00 UTC on 2026-11-16."
 */
export function limitSummary(
  standing: LimitStanding,
  counts: LimitCounts,
  { nowMs = Date.now(), ...span }: Summarized,
): string {
  const made = madeOf(counts, periodOf(span, nowMs));
  return `${counts.name}: ${standingOf(standing)}. It ${made}.`;
}

function madeOf(
  { allowed, blocked, would_block: wouldBlock }: Omit<LimitCounts, 'name'>,
  when: string,
): string {
  const refused = blocked > 0 ? ` and refused ${count(blocked)}` : '';
  const observed =
    wouldBlock > 0 ? `; if enforced, it would have refused ${count(wouldBlock)}` : '';
  return `let in ${calls(allowed)}${refused} ${when}${observed}`;
}

function standingOf(standing: LimitStanding): string {
  const { limit, used, remaining, unit, reset_at: resetAt, blocked_until: until } = standing;
  if (used === null || remaining === null || resetAt === null) {
    return `${count(limit)} ${unit} for each of those it counts`;
  }
  const back = used > 0 ? `, all back by ${instantOf(new Date(resetAt * 1000), 19)}` : '';
  const penalty =
    until === null ? '' : `, refusing all until ${instantOf(new Date(until * 1000), 19)}`;
  return `${count(used)} of ${count(limit)} ${unit} used, ${count(remaining)} left${back}${penalty}`;
}

function refusers(blocked: number, limits: readonly LimitCounts[]): string {
  const refusing = limits.filter((limit) => limit.blocked > 0);
  const [first, ...others] = refusing;
  if (!first) return ', by a block';
  if (others.length === 0 && first.blocked === blocked) {
    return blocked === 1 ? ` by ${first.name}` : `, all by ${first.name}`;
  }
  return ` (${refusing.map((limit) => `${count(limit.blocked)} by ${limit.name}`).join(', ')})`;
}

function periodOf({ from, to }: Span, nowMs: number): string {
  if (to.getTime() > nowMs) return `since ${instantOf(from)}`;
  return `from ${instantOf(from)} to ${instantOf(to)}`;
}

/** Hours and minutes, or with the seconds. */
function instantOf(at: Date, end = 16): string {
  const iso = at.toISOString();
  return `${iso.slice(11, end)} UTC on ${iso.slice(0, 10)}`;
}

function calls(n: number): string {
  return `${count(n)} ${n === 1 ? 'call' : 'calls'}`;
}

function count(n: number): string {
  return numbers.format(n);
}
