import { inOnePiece } from './in-one-piece.ts';
const prefix = Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36))
  .join('')
  .slice(0, 20);
let made = 0;

/** A number for a question of this process. */
export function nextQuestionNumber(): number {
  made += 1;
  return made;
}

const digits = 36;
/** The last two digits: to spell a number anew takes longer than all else that an id is made of. */
const endings = Array.from({ length: digits * digits }, (_, number) =>
  number.toString(digits).padStart(2, '0'),
);
let start = { number: Number.NaN, text: '' };

/** Unique everywhere: a random part for this process and the question's number. */
export function questionId(number: number): string {
  const ending = number % endings.length;
  const first = (number - ending) / endings.length;
  if (start.number !== first) {
    start = { number: first, text: inOnePiece(`${prefix}-${first.toString(digits)}`) };
  }
  return start.text + endings[ending];
}
