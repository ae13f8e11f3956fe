/**
 * Whether there is a resource at all that both patterns match. What a star leaves open, each can
 * fill in as the other needs it: only what is given must not contradict.
 */
export function overlaps(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  const [short, long] = a.segments.length <= b.segments.length ? [a, b] : [b, a];
  if (!reaches(short, long)) return false;
  return short.segments.every((segment, at) => segmentsOverlap(segment, String(long.segments[at])));
}

type Parts = { readonly segments: readonly string[]; readonly isOpen: boolean };

function partsOf(pattern: string): Parts {
  const isOpen = pattern.endsWith('/*');
  return { segments: (isOpen ? pattern.slice(0, -2) : pattern).split('/'), isOpen };
}

/** Whether a resource can have as many segments as both want: one that is open wants at least one more. */
function reaches(short: Parts, long: Parts): boolean {
  const gap = long.segments.length - short.segments.length;
  if (gap > 0) return short.isOpen;
  return short.isOpen === long.isOpen;
}

function segmentsOverlap(one: string, other: string): boolean {
  if (isParameter(one)) return other !== '';
  if (isParameter(other)) return one !== '';
  if (!one.includes('*')) return isGlobOf(other, one);
  if (!other.includes('*')) return isGlobOf(one, other);
  const [first, second] = [edgesOf(one), edgesOf(other)];
  return (
    (first.start.startsWith(second.start) || second.start.startsWith(first.start)) &&
    (first.end.endsWith(second.end) || second.end.endsWith(first.end))
  );
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

function edgesOf(glob: string): { readonly start: string; readonly end: string } {
  return {
    start: glob.slice(0, glob.indexOf('*')),
    end: glob.slice(glob.lastIndexOf('*') + 1),
  };
}

/** Leftmost for each piece is enough: what one star leaves over, the next may take. */
function isGlobOf(glob: string, text: string): boolean {
  if (!glob.includes('*')) return glob === text;
  const { start, end } = edgesOf(glob);
  if (!text.startsWith(start) || !text.endsWith(end)) return false;
  const last = text.length - end.length;
  let at = start.length;
  for (const piece of glob.split('*').slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= last;
}
