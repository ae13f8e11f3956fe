/**
 * A text that was put together is kept in pieces until somebody reads it, and each text that it
 * becomes part of copies it piece by piece. What is used again and again, or looked at by a regular
 * expression, is better in one: to read a letter makes it so, in less time than an expression would.
 */
export function inOnePiece(text: string): string {
  return text[0] === undefined ? '' : text;
}
