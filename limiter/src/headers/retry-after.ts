import { InvalidInput } from '../core/errors.ts';
import type { DecisionView } from '../core/limiter-port.ts';
import { describe } from '../core/numbers.ts';

/**
 * So that refused callers don't all come back at one edge: at most this share of the wait is added,
 * five seconds at the most, or what the function makes of the wait. Never less than the wait.
 */
export type Jitter = number | ((waitSeconds: number) => number);

const jitterSecondsMax = 5;

/** Whole seconds, rounded up; null where waiting never helps. */
export function retryAfterSeconds(
  decision: DecisionView,
  jitter: Jitter,
  random: () => number,
): number | null {
  if (decision.allowed) return 0;
  const { retryAfterMs } = decision;
  if (retryAfterMs === null) return null;
  // 0 on a refusal would invite a hot loop.
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return jitter === 0 ? seconds : withJitter(seconds, jitter, random);
}

function withJitter(seconds: number, jitter: Jitter, random: () => number): number {
  if (typeof jitter === 'number') {
    return seconds + Math.floor(random() * Math.min(jitterSecondsMax, seconds * jitter));
  }
  const longer = Math.ceil(jitter(seconds));
  return Number.isSafeInteger(longer) ? Math.max(seconds, longer) : seconds;
}

export function requireJitter(jitter: unknown): void {
  if (typeof jitter === 'function') return;
  if (typeof jitter === 'number' && jitter >= 0 && jitter <= 1) return;
  throw new InvalidInput(
    'jitter',
    `must be a share of the wait from 0 to 1, or a function, got ${describe(jitter)}`,
  );
}
