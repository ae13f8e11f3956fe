const anyText = /^/;

/**
 * A text that was put together is kept in pieces until somebody reads it, and each text that it
 * becomes part of copies it piece by piece. What is used again and again is better in one: an
 * expression that looks at it makes it so.
 */
export function inOnePiece(text: string): string {
  anyText.test(text);
  return text;
}
