import { Decision, type ShownLimit } from 'sluice/core';

/** The enforced limits that refused; none where no limit did, or none could be asked. */
export function refusersOf(decision: Decision): readonly ShownLimit[] {
  if (decision.allowed) return [];
  return Decision.viewsOf(decision).filter(({ bound, reading }) => {
    return bound.limit.enforced && reading.verdict !== 'ok';
  });
}

/** The limits in warn and shadow that would have. */
export function wouldBlockersOf(decision: Decision): readonly ShownLimit[] {
  return Decision.viewsOf(decision).filter(({ bound, reading }) => {
    return !bound.limit.enforced && reading.verdict !== 'ok';
  });
}

/** For how long these say no if nobody else comes; null where waiting tells nothing. */
export function waitMsOf(limits: readonly ShownLimit[]): number | null {
  let longestUs = 0;
  for (const { bound, view } of limits) {
    // When a slot comes free is a guess.
    const isGuess = bound.limit.numbers.algorithm === 'concurrency';
    if (isGuess || view.retryAfterUs === null) return null;
    longestUs = Math.max(longestUs, view.retryAfterUs);
  }
  return limits.length === 0 ? null : Math.ceil(longestUs / 1000);
}
