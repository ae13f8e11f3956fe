import { Decision, StoreFailure, type Answer, type ParsedCheck, type Question } from 'sluice/core';
import type { Block } from '../snapshot/blocks.ts';

/**
 * A refusal that no limit made. Where the store could not say whether the block still stands, it
 * stands: who is shut out is not let in because something else fails.
 */
export function shutOutDecision(
  { level, entity, untilMs }: Block,
  {
    check,
    question,
    answer,
  }: {
    readonly check: ParsedCheck;
    readonly question: Question;
    readonly answer: Answer | StoreFailure;
  },
): Decision {
  const failed = answer instanceof StoreFailure;
  const known = !failed && answer.kind === 'decided';
  return new Decision({
    check,
    question: { id: question.id, limits: [] },
    answer: {
      kind: 'decided',
      allowed: false,
      nowUs: known ? answer.nowUs : Date.now() * 1000,
      readings: [],
      replayOf: null,
      ticket: null,
      reservation: null,
      degraded: null,
    },
    basis: known ? 'exact' : 'local',
    degradedReason: failed ? answer.reason : null,
    shutOut: { level, entity, untilUs: untilMs === null ? null : untilMs * 1000 },
  });
}
