/** What one call may hold of two things, such as questions and limits. */
export type PartSize = readonly [number, number];

/** In order, as few parts as hold no more than this; what is larger by itself is a part alone. */
export function* inParts<T>(
  all: readonly T[],
  [firstMax, secondMax]: PartSize,
  sizeOf: (one: T) => PartSize,
): Generator<readonly T[]> {
  let part: T[] = [];
  let first = 0;
  let second = 0;
  for (const one of all) {
    const [more, further] = sizeOf(one);
    if (part.length > 0 && (first + more > firstMax || second + further > secondMax)) {
      yield part;
      part = [];
      first = 0;
      second = 0;
    }
    part.push(one);
    first += more;
    second += further;
  }
  if (part.length > 0) yield part;
}
