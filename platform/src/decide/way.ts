import {
  CheckQuestion,
  StoreFailure,
  type Answer,
  type DecideResult,
  type Question,
} from 'sluice/core';
import { join } from './join.ts';
import { prepare, prepareSome, type Asked, type Prepared } from './prepare.ts';

/** What is no news: all that the store has to say. */
export type Final = Extract<DecideResult, { kind: 'answered' }> | StoreFailure;

/** What the store is asked about checks, and what its answer says to each. */
export type Way = {
  readonly prepare: typeof prepareSome;
  readonly asking: (prepared: readonly Prepared[]) => {
    readonly questions: readonly Question[];
    readonly answersIn: (result: Final) => (asked: Asked) => Answer | StoreFailure;
  };
};

export const eachByItself: Way = {
  prepare: prepareSome,
  asking: (prepared) => {
    const asked = askedIn(prepared);
    return {
      questions: asked.map(({ question }) => question),
      answersIn: (result) => {
        let next = 0;
        return () => answerAt(result, next++);
      },
    };
  },
};

/** All or none. */
export const allTogether: Way = {
  prepare: (inputs, _from, caller, counting) => {
    const prepared = inputs.map((input) => withoutSlots(prepare(input, caller, counting)));
    const failed = prepared.find((one) => 'error' in one);
    // One that can't be decided leaves nothing to decide for the others.
    return failed ? prepared.map(() => failed) : prepared;
  },
  asking: (prepared) => {
    const asked = askedIn(prepared);
    const joined = asked.length === 0 ? null : join(asked);
    return {
      questions: joined ? [joined.question] : [],
      answersIn: (result) => {
        const answer = answerAt(result, 0);
        const isOne = !(answer instanceof StoreFailure) && answer.kind === 'decided';
        return (one) => (isOne && joined ? joined.answerTo(one, answer) : answer);
      },
    };
  },
};

function askedIn(prepared: readonly Prepared[]): Asked[] {
  return prepared.filter((one): one is Asked => 'question' in one);
}

/** Doors that ask like this, as metrics name them. */
export const doorsWithoutRelease = ['envoy.rls', '/json'] as const;

/** Nobody who asks like this could say when a call has ended. */
function withoutSlots(one: Prepared): Prepared {
  if ('error' in one || one.shutOutBy) return one;
  const limits = one.question.limits.filter(
    ({ limit }) => limit.numbers.algorithm !== 'concurrency',
  );
  if (limits.length === one.question.limits.length) return one;
  const { ledgerLabel } = one.question;
  return { ...one, question: new CheckQuestion(one.check, limits, { ledgerLabel }) };
}

export function answerAt(result: Final, at: number): Answer | StoreFailure {
  if (result instanceof StoreFailure) return result;
  return result.answers[at] ?? new StoreFailure('no answer');
}
