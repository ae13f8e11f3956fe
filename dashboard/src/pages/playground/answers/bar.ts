import { waitInWords } from '../../../ui/words.ts';
import type { Answer } from '../burst/answer.ts';

export type Bar = {
  /** From 0 to 1, of its half. */
  readonly height: number;
  readonly words: string;
};

/** So that also the last token, or a short wait, can be seen and pointed at. */
const heightMin = 0.08;

export function barOf({ number, decision }: Answer, longestMs: number): Bar {
  const { allowed, limit, remaining, retry_after_ms: waitMs } = decision;
  if (allowed) {
    const share = limit === null || remaining === null ? 1 : remaining / Math.max(1, limit);
    return { height: clamp(share), words: `${number}: allowed, ${remaining ?? 'no limit'} left` };
  }
  if (waitMs === null) return { height: 1, words: `${number}: refused, waiting never helps` };
  return {
    height: clamp(waitMs / longestMs),
    words: `${number}: refused, try again in ${waitInWords(waitMs)}`,
  };
}

function clamp(share: number): number {
  return Math.min(1, Math.max(heightMin, share));
}
