import type { ParsedCheck } from './check.ts';
import { Decision } from './decision.ts';
import type { BoundLimit, Decided, Question } from './engine.ts';
import { CapacityFull, type StoreFailure } from './errors.ts';
import { refusedUnasked, unanswered } from './refused-unasked.ts';

/** What a node decided by its own share of the limits that fail `local`. */
export type LocalAnswer = { readonly limits: readonly BoundLimit[]; readonly answer: Decided };

/**
 * The only place that knows what a failed store means: each limit's own policy. One enforced limit
 * that fails closed refuses, then one whose local share is used up; otherwise nobody is held up by a
 * limiter that can't count. A store that is merely full is no reason to let anybody through.
 */
export function whenStoreFails(
  failure: StoreFailure,
  check: ParsedCheck,
  { id, limits }: Pick<Question, 'id' | 'limits'>,
  local: LocalAnswer | null = null,
): Decision {
  const degradedReason = failure.reason;
  const closed = limits.filter(failure instanceof CapacityFull ? isEnforced : isClosed);
  if (closed.length > 0) return refusedUnasked(degradedReason, check, { id, limits: closed });
  if (local) {
    const isOpen = local.answer.allowed && limits.some(isOpened);
    return new Decision({
      check,
      question: { id, limits: local.limits },
      answer: local.answer,
      basis: isOpen ? 'fail_open' : 'local',
      degradedReason,
    });
  }
  const answer = { ...unanswered, allowed: true };
  return new Decision({
    check,
    question: { id, limits },
    answer,
    basis: 'fail_open',
    degradedReason,
  });
}

function isEnforced({ limit }: BoundLimit): boolean {
  return limit.enforced;
}

function isClosed({ limit }: BoundLimit): boolean {
  return limit.enforced && limit.onStoreFailure === 'closed';
}

function isOpened({ limit }: BoundLimit): boolean {
  return limit.enforced && limit.onStoreFailure === 'open';
}
