import type { ParsedCheck } from './check.ts';
import { Decision } from './decision.ts';
import type { BoundLimit, Question } from './engine.ts';
import type { StoreFailure } from './errors.ts';

/**
 * The only place that knows what a failed store means: each limit's own policy. One enforced limit
 * that fails closed refuses; otherwise nobody is held up by a limiter that can't count.
 */
export function whenStoreFails(
  failure: StoreFailure,
  check: ParsedCheck,
  { id, limits }: Question,
): Decision {
  const closed = limits.filter(isClosed);
  const allowed = closed.length === 0;
  return new Decision({
    check,
    question: { id, limits: allowed ? limits : closed },
    answer: {
      kind: 'decided',
      allowed,
      nowUs: 0,
      readings: [],
      replayOf: null,
      ticket: null,
      reservation: null,
      degraded: null,
    },
    basis: allowed ? 'fail_open' : 'fail_closed',
    degradedReason: failure.reason,
  });
}

function isClosed({ limit }: BoundLimit): boolean {
  return limit.enforced && limit.onStoreFailure === 'closed';
}
