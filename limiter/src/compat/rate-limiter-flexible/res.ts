import type { Seen } from '../counting/windows.ts';

/** What a key may still do, in the words of rate-limiter-flexible. */
export class RateLimiterRes {
  readonly remainingPoints: number;
  readonly msBeforeNext: number;
  readonly consumedPoints: number;
  readonly isFirstInDuration: boolean;

  constructor(
    remainingPoints = 0,
    msBeforeNext = 0,
    consumedPoints = 0,
    isFirstInDuration = false,
  ) {
    this.remainingPoints = remainingPoints;
    this.msBeforeNext = msBeforeNext;
    this.consumedPoints = consumedPoints;
    this.isFirstInDuration = isFirstInDuration;
  }

  toJSON(): Pick<
    RateLimiterRes,
    'remainingPoints' | 'msBeforeNext' | 'consumedPoints' | 'isFirstInDuration'
  > {
    const { remainingPoints, msBeforeNext, consumedPoints, isFirstInDuration } = this;
    return { remainingPoints, msBeforeNext, consumedPoints, isFirstInDuration };
  }

  toString(): string {
    return JSON.stringify(this);
  }
}

/** `cost`: what was taken, or refused, just now. */
export function resOf(seen: Seen, points: number, cost = 0): RateLimiterRes {
  const isRefused = cost > 0 && seen.verdict !== 'ok';
  const isBlocked = seen.blockedUntilUs > seen.nowUs;
  // A refused call charges nothing, yet is seen by who was refused: with it there is too much.
  const used = isRefused ? seen.used + cost : seen.used;
  const consumed = isBlocked ? Math.max(used, points + 1) : used;
  const untilUs = isBlocked ? Math.max(seen.resetAtUs, seen.blockedUntilUs) : seen.resetAtUs;
  return new RateLimiterRes(
    Math.max(points - consumed, 0),
    Math.ceil((untilUs - seen.nowUs) / 1000),
    consumed,
    !isRefused && cost > 0 && seen.used === cost,
  );
}
