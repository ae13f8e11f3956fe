import type { ParsedCheck } from './check.ts';
import { Decision } from './decision.ts';
import type { BoundLimit, Decided, Question } from './engine.ts';
import { CapacityFull, type StoreFailure } from './errors.ts';

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
  if (closed.length > 0) {
    const question = { id, limits: closed };
    const answer = unread(false);
    return new Decision({ check, question, answer, basis: 'fail_closed', degradedReason });
  }
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
  const question = { id, limits };
  return new Decision({
    check,
    question,
    answer: unread(true),
    basis: 'fail_open',
    degradedReason,
  });
}

/** No limit was looked at. */
function unread(allowed: boolean): Decided {
  return {
    kind: 'decided',
    allowed,
    nowUs: 0,
    readings: [],
    replayOf: null,
    ticket: null,
    reservation: null,
    degraded: null,
  };
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
