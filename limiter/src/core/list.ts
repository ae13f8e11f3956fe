/**
 * A list at its length, to be filled in a loop. On the path of every check that counts: one that
 * grows by push takes room for seventeen, and the function that `map` calls is made for each list.
 */
export function listOf<T>(length: number): T[] {
  // oxlint-disable-next-line unicorn/no-new-array -- a length, as the name says
  return new Array<T>(length);
}
