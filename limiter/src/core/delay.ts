import type { Backpressure, Limit } from './limit.ts';
import type { LimitView } from './view.ts';

/**
 * How long callers had better wait near the end of a limit, so that they slow down before they are
 * refused. The quadratic curve starts gently, never asks for longer than the last part of a bucket
 * takes to refill, and differs a little from call to call, lest all come back together; the straight
 * line is just that.
 */
export function delayMs(
  { size, numbers }: Limit,
  { from, delayMsMax, curve }: Backpressure,
  { used }: LimitView,
  callId: string,
): number {
  const pressure = Math.min(1, Math.max(0, (used / size - from) / (1 - from)));
  if (pressure === 0) return 0;
  if (curve === 'linear') return Math.round(delayMsMax * pressure);
  const refillMs =
    numbers.algorithm === 'token_bucket'
      ? ((1 - from) * size * numbers.perUs) / (numbers.tokens * 1000)
      : Number.POSITIVE_INFINITY;
  const longest = Math.min(delayMsMax, refillMs);
  return Math.min(delayMsMax, Math.round(longest * pressure ** 2 * jitterOf(callId)));
}

/** From 0.9 to 1.1, the same for the same call. */
function jitterOf(callId: string): number {
  let drawn = 0;
  for (let at = 0; at < callId.length; at += 1) {
    drawn = Math.imul(drawn ^ callId.charCodeAt(at), 0x9e3779b1) >>> 0;
  }
  return 0.9 + (0.2 * drawn) / 0xffffffff;
}
