import { useState } from 'react';
import { messageOf } from '../../../api/problem.ts';
import { Card } from '../../../ui/Card.tsx';
import { Empty } from '../../../ui/States.tsx';
import type { Answer } from '../burst/answer.ts';
import type { Burst } from '../burst/use-burst.ts';
import { AnswerBars } from './AnswerBars.tsx';
import { AnswerDetails } from './AnswerDetails.tsx';

export function AnswersCard({ burst }: { readonly burst: Burst }) {
  const { answers, isRunning, error } = burst;
  const [pointed, setPointed] = useState<Answer | null>(null);
  const shown = answers.find((answer) => answer === pointed) ?? answers.at(-1);
  const last = answers.filter((answer) => answer.burst === answers.at(-1)?.burst);
  const allowed = last.filter(({ decision }) => decision.allowed).length;
  return (
    <Card
      title="Answers"
      actions={
        <p className="tally figures" role="status">
          {last.length > 0 && !isRunning && (
            <>
              <span className="tone-good">{allowed} allowed</span>
              <span className="tone-bad">{last.length - allowed} refused</span>
            </>
          )}
        </p>
      }
    >
      {Boolean(error) && (
        <p className="form-error" role="alert">
          {messageOf(error)}
        </p>
      )}
      {shown === undefined ? (
        <Empty icon="play" title="Nothing sent yet">
          Fire a burst: each answer appears here the moment it arrives.
        </Empty>
      ) : (
        <>
          <div className="bars-frame">
            <p className="bars-axis" aria-hidden="true">
              <span>left</span>
              <span>wait</span>
            </p>
            <AnswerBars answers={answers} current={shown} onPoint={setPointed} />
          </div>
          <AnswerDetails answer={shown} />
        </>
      )}
    </Card>
  );
}
