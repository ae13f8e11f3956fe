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

/** What was just taken, or asked for and refused. */
type Asked = { readonly taken?: number; readonly refused?: number };

export function resOf(
  seen: Seen,
  points: number,
  { taken = 0, refused = 0 }: Asked = {},
): RateLimiterRes {
  const isBlocked = seen.blockedUntilUs > seen.nowUs;
  // A refused call charges nothing, yet is seen by who was refused: with it there is too much.
  const used = seen.used + refused;
  const consumed = isBlocked ? Math.max(used, points + 1) : used;
  const fits = seen.used + Math.max(refused, 1) <= points;
  const mustWaitUs = fits ? 0 : seen.resetAtUs;
  const untilUs = isBlocked ? Math.max(mustWaitUs, seen.blockedUntilUs) : seen.resetAtUs;
  return new RateLimiterRes(
    Math.max(points - consumed, 0),
    Math.ceil((untilUs - seen.nowUs) / 1000),
    consumed,
    taken > 0 && seen.used === taken,
  );
}
