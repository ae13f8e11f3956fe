const prefix = Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36))
  .join('')
  .slice(0, 20);
let made = 0;

/** A number for a question of this process. */
export function nextQuestionNumber(): number {
  made += 1;
  return made;
}

/** Unique everywhere: a random part for this process and the question's number. */
export function questionId(number: number): string {
  return `${prefix}-${number.toString(36)}`;
}
