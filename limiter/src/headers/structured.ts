/** The little of Structured Fields (RFC 9651) that is written here: strings and integers. */

export const integerMax = 999_999_999_999_999;

/** Fifteen digits are all a field may hold; what is larger says "at least this much". */
export function integer(value: number): string {
  return String(Math.min(value, integerMax));
}

/** Quoted and escaped. A name that was never parsed can't break out of its field. */
export function quoted(text: string): string {
  let inside = '';
  for (const character of printable(text)) {
    inside += character === '"' || character === '\\' ? `\\${character}` : character;
  }
  return `"${inside}"`;
}

/** One line of printable ASCII, whatever the text was. */
export function printable(text: string): string {
  let line = '';
  for (const character of text) line += character >= ' ' && character <= '~' ? character : '?';
  return line;
}
