import { CheckQuestion, type BoundLimit, type Decided, type Question } from 'sluice/core';
import type { Asked } from './prepare.ts';

/** Several checks as one question, which takes all or nothing. */
export type Joined = {
  readonly question: Question;
  /** What each of them is to be told, from the answer to all. */
  answerTo(asked: Asked, answer: Decided): Decided;
};

/**
 * A counter that several of them are counted on is asked once, for what they cost together. Where one
 * is shut out nothing is asked, for nothing may be charged.
 */
export function join(all: readonly Asked[]): Joined {
  const first = all[0] as Asked;
  const isShutOut = all.some(({ shutOutBy }) => shutOutBy !== null);
  const bounds: BoundLimit[] = [];
  const byCounter = new Map<string, number>();
  const places = new Map<Asked, readonly number[]>();
  for (const asked of isShutOut ? [] : all) {
    const own = asked.question.limits.map((bound) => {
      const counter = JSON.stringify([bound.limit.counterId, ...bound.parts]);
      const known = byCounter.get(counter);
      if (known === undefined) {
        byCounter.set(counter, bounds.length);
        return bounds.push(bound) - 1;
      }
      const other = bounds[known] as BoundLimit;
      bounds[known] = { ...other, cost: other.cost + bound.cost };
      return known;
    });
    places.set(asked, own);
  }
  const { ledgerLabel } = first.question;
  const paying = all.find(({ question }) => !question.peek) ?? first;
  const question = new CheckQuestion(paying.check, bounds, { ledgerLabel });
  return { question, answerTo: (asked, answer) => partOf(asked, places.get(asked) ?? [], answer) };
}

/** One that nothing speaks against is not to blame, though nothing was charged for it either. */
function partOf({ question }: Asked, places: readonly number[], answer: Decided): Decided {
  const readings = places.flatMap((place) => answer.readings[place] ?? []);
  const isToBlame = readings.some(
    ({ verdict }, at) => verdict !== 'ok' && question.limits[at]?.limit.enforced,
  );
  return { ...answer, readings, allowed: answer.allowed || !isToBlame };
}
