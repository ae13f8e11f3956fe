import { useRef, type KeyboardEvent } from 'react';
import type { Answer } from '../burst/answer.ts';
import { barOf } from './bar.ts';

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/**
 * A bar for each answer, the moment it arrives: upwards what was left, downwards how long to wait.
 * One of them is in the order of the Tab key; arrows move among them.
 */
export function AnswerBars({
  answers,
  current,
  onPoint,
}: {
  readonly answers: readonly Answer[];
  readonly current: Answer | undefined;
  readonly onPoint: (answer: Answer) => void;
}) {
  const list = useRef<HTMLOListElement>(null);
  const longestMs = Math.max(1, ...answers.map(({ decision }) => decision.retry_after_ms ?? 0));
  const focusAt = (at: number) => list.current?.querySelectorAll('button')[at]?.focus();
  const move = (event: KeyboardEvent, at: number) => {
    const last = answers.length - 1;
    const jump = event.key === 'Home' ? 0 : event.key === 'End' ? last : null;
    const step = steps[event.key];
    if (jump === null && step === undefined) return;
    event.preventDefault();
    focusAt(jump ?? Math.min(last, Math.max(0, at + (step ?? 0))));
  };
  return (
    <ol className="bars" ref={list} aria-label="Answers, in the order of their arrival">
      {answers.map((answer, at) => {
        const { height, words } = barOf(answer, longestMs);
        const starts = at > 0 && answers[at - 1]?.burst !== answer.burst;
        const { allowed } = answer.decision;
        return (
          <li key={answer.number} className={starts ? 'starts-burst' : ''}>
            <button
              type="button"
              className={`bar ${allowed ? 'is-allowed' : 'is-refused'}`}
              aria-label={words}
              aria-current={answer === current || undefined}
              tabIndex={answer === (current ?? answers.at(-1)) ? 0 : -1}
              onFocus={() => onPoint(answer)}
              onPointerEnter={() => onPoint(answer)}
              onKeyDown={(event) => move(event, at)}
            >
              <span style={{ blockSize: `${height * 100}%` }} />
            </button>
          </li>
        );
      })}
    </ol>
  );
}
