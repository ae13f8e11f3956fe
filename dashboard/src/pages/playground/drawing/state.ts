import type { Answer } from '../burst/answer.ts';
import type { LimitOf } from '../algorithms.ts';

/** What was charged, when. Refusals charge nothing. */
export type Charge = { readonly atMs: number; readonly cost: number };

export function chargesOf(answers: readonly Answer[]): readonly Charge[] {
  return answers
    .filter(({ decision }) => decision.allowed)
    .map(({ atMs, decision }) => ({ atMs, cost: decision.limits[0]?.cost ?? decision.cost }));
}

/** How much is in the bucket: what flowed in since, less what was taken. */
export function bucketLevel(
  limit: LimitOf<'token_bucket'>,
  charges: readonly Charge[],
  nowMs: number,
): number {
  const { bucket_capacity: capacity, refill_rate_per_sec: rate } = limit;
  let level = capacity;
  let atMs = charges[0]?.atMs ?? nowMs;
  for (const charge of [...charges, { atMs: nowMs, cost: 0 }]) {
    level = Math.min(capacity, level + (Math.max(0, charge.atMs - atMs) / 1000) * rate);
    level = Math.max(0, level - charge.cost);
    atMs = Math.max(atMs, charge.atMs);
  }
  return level;
}

/** Windows of fixed length start where Unix time is a multiple of it. */
export function windowStart(nowMs: number, windowMs: number): number {
  return Math.floor(nowMs / windowMs) * windowMs;
}

export function usedBetween(charges: readonly Charge[], fromMs: number, toMs: number): number {
  return charges
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    .reduce((sum, { cost }) => sum + cost, 0);
}

export type Weighed = {
  readonly previous: number;
  readonly current: number;
  /** How much of the previous window counts, from 0 to 1. */
  readonly share: number;
  readonly used: number;
};

/** Two counters, and how much of the older one still counts. */
export function weighWindows(charges: readonly Charge[], windowMs: number, nowMs: number): Weighed {
  const startMs = windowStart(nowMs, windowMs);
  const previous = usedBetween(charges, startMs - windowMs, startMs);
  const current = usedBetween(charges, startMs, startMs + windowMs);
  const share = 1 - (nowMs - startMs) / windowMs;
  return { previous, current, share, used: previous * share + current };
}
