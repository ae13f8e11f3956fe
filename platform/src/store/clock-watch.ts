/** A server's time, by when it was asked and when it had answered: on our clock that nobody sets. */
export type TimeReading = {
  readonly askedMs: number;
  readonly answeredMs: number;
  readonly storeMs: number;
};

/** Smaller corrections are what a well kept clock makes. */
const stepMsMin = 250;
/** How fast two clocks go apart at most, each slewed by as much as a kernel does: 500 ppm. */
const driftMax = 0.001;

/** Between which the server's clock is ahead of ours, and when that was known. */
type Offset = { readonly fromMs: number; readonly toMs: number; readonly atMs: number };

/**
 * Tells when a server's clock was set. It was read at some moment between the question and the
 * answer: however late an answer is, and whoever was stopped meanwhile, that is true. So a late one
 * says less, and never anything wrong.
 */
export class ClockWatch {
  #known: Offset | null = null;

  /** By how much it was set since it was read last; back is negative, 0 is what can't be told. */
  read({ askedMs, answeredMs, storeMs }: TimeReading): number {
    const read = { fromMs: storeMs - answeredMs, toMs: storeMs - askedMs, atMs: answeredMs };
    const known = this.#known && drifted(this.#known, answeredMs);
    this.#known = read;
    if (known === null) return 0;
    const apartMs = Math.max(read.fromMs - known.toMs, known.fromMs - read.toMs);
    if (apartMs > stepMsMin) return Math.round(middle(read) - middle(known));
    // Else a step that a late answer hides would be hidden from the next one too.
    if (apartMs <= 0) this.#known = common(read, known);
    return 0;
  }
}

function drifted({ fromMs, toMs, atMs }: Offset, nowMs: number): Offset {
  const driftMs = (nowMs - atMs) * driftMax;
  return { fromMs: fromMs - driftMs, toMs: toMs + driftMs, atMs: nowMs };
}

function common(read: Offset, known: Offset): Offset {
  return {
    fromMs: Math.max(read.fromMs, known.fromMs),
    toMs: Math.min(read.toMs, known.toMs),
    atMs: read.atMs,
  };
}

function middle({ fromMs, toMs }: Offset): number {
  return (fromMs + toMs) / 2;
}
