/** Marks that share a place: with one each, two that come in turns would keep each other out for good. */
const together = 4;

/**
 * Whether two texts came together before, lately. It may forget, and once in 8,000 it is wrong: for
 * who decides by it whether something is worth being remembered. It holds no text itself.
 */
export class Sightings {
  readonly #size: number;
  /** Made when it is first asked for: most who could remember much never have to. */
  #marks: Uint16Array | null = null;

  /** Of about so many. */
  constructor(count: number) {
    this.#size = Math.max(together, 2 ** Math.ceil(Math.log2(count)));
  }

  /** And from now on they did. */
  isRepeated(first: string, second: string): boolean {
    const marks = (this.#marks ??= new Uint16Array(this.#size));
    const hash = hashOf(first, ~hashOf(second, 1));
    const from = hash & (this.#size - 1) & ~(together - 1);
    // Never 0: that is where nobody was.
    const mark = (hash >>> 16) | 1;
    for (let at = from; at < from + together; at += 1) {
      if (marks[at] === mark) return true;
    }
    // The latest stands first, and the oldest makes room.
    for (let at = from + together - 1; at > from; at -= 1) marks[at] = marks[at - 1] as number;
    marks[from] = mark;
    return false;
  }
}

function hashOf(text: string, seed: number): number {
  let hash = seed ^ text.length;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x5b_d1_e9_95);
    hash ^= hash >>> 15;
  }
  return hash;
}
