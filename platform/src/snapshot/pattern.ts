/**
 * Resource patterns: `{x}` is one segment, `*` anything within a segment, a final `/*` the rest.
 * A resource is any text; what is between slashes is a segment, the method with its colon the first.
 */
export class Pattern {
  readonly text: string;
  readonly #segments: readonly Segment[];
  readonly #open: boolean;

  constructor(text: string) {
    this.text = text;
    this.#open = text.endsWith('/*');
    const closed = this.#open ? text.slice(0, -2) : text;
    this.#segments = closed.split('/').map(segmentOf);
  }

  /** Without any wildcard: one resource and no other. */
  get isExact(): boolean {
    return !this.#open && this.#segments.every(({ rank }) => rank === exactRank);
  }

  matches(resource: string): boolean {
    const parts = resource.split('/');
    const { length } = this.#segments;
    if (this.#open ? parts.length <= length : parts.length !== length) return false;
    return this.#segments.every((segment, at) => fits(segment, parts[at] as string));
  }

  /** Below 0 when this is the more specific: exact beats `{x}` beats `*`, longer beats shorter. */
  compare(other: Pattern): number {
    const shared = Math.min(this.#segments.length, other.#segments.length);
    for (let at = 0; at < shared; at += 1) {
      const mine = this.#segments[at] as Segment;
      const theirs = other.#segments[at] as Segment;
      const difference = theirs.rank - mine.rank || theirs.literals - mine.literals;
      if (difference !== 0) return difference;
    }
    return (
      other.#segments.length - this.#segments.length || Number(this.#open) - Number(other.#open)
    );
  }
}

const exactRank = 2;
const parameterRank = 1;
const globRank = 0;

type Segment = {
  readonly rank: number;
  readonly text: string;
  /** Of a glob: what stands between its stars. */
  readonly pieces: readonly string[];
  /** How many characters are given. */
  readonly literals: number;
};

function segmentOf(text: string): Segment {
  const isParameter = text.length > 2 && text.startsWith('{') && text.endsWith('}');
  if (isParameter) return { rank: parameterRank, text, pieces: [], literals: 0 };
  if (!text.includes('*')) {
    return { rank: exactRank, text, pieces: [], literals: text.length };
  }
  const pieces = text.split('*');
  return { rank: globRank, text, pieces, literals: text.length - pieces.length + 1 };
}

function fits({ rank, text, pieces }: Segment, part: string): boolean {
  if (rank === exactRank) return part === text;
  if (rank === parameterRank) return part.length > 0;
  return fitsGlob(pieces, part);
}

/** Leftmost for each piece is enough: what a star leaves over, the next star may take. */
function fitsGlob(pieces: readonly string[], part: string): boolean {
  const first = pieces[0] as string;
  const last = pieces.at(-1) as string;
  if (part.length < first.length + last.length) return false;
  if (!part.startsWith(first) || !part.endsWith(last)) return false;
  const end = part.length - last.length;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = part.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
