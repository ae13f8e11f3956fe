const prefix = Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36))
  .join('')
  .slice(0, 20);
let made = 0;

/** Unique everywhere: a random part for this process and a count. Cheap, for every check has one. */
export function nextQuestionId(): string {
  made += 1;
  return `${prefix}-${made.toString(36)}`;
}
