import type { ParsedCheck } from './check.ts';
import { Decision } from './decision.ts';
import type { Decided, Question } from './engine.ts';

/** No limit was looked at. */
export const unanswered: Decided = Object.freeze({
  kind: 'decided',
  allowed: false,
  nowUs: 0,
  readings: [],
  replayOf: null,
  ticket: null,
  reservation: null,
  degraded: null,
});

/**
 * Refused without asking the store: there is no room to ask it. Whatever limits say of a store that
 * fails, for to let through who comes in great numbers would reward just that.
 */
export function refusedUnasked(
  reason: string,
  check: ParsedCheck,
  { id, limits }: Pick<Question, 'id' | 'limits'>,
): Decision {
  return new Decision({
    check,
    question: { id, limits },
    answer: unanswered,
    basis: 'fail_closed',
    degradedReason: reason,
  });
}
