/** What is said of one kind of failure: how often it came since it was last said. */
export type Complaint = { readonly kind: string; readonly count: number; readonly error: unknown };

const everyMs = 10_000;

/**
 * Passes on the first failure of a kind, then at most one in ten seconds with the number of all in
 * between: an outage must not fill the log with one line for each call. Kinds are ours, so few.
 */
export class Complaints {
  readonly #say: (complaint: Complaint) => void;
  readonly #kinds = new Map<string, { saidAtMs: number; kept: number }>();

  constructor(say: (complaint: Complaint) => void) {
    this.#say = say;
  }

  add(kind: string, error: unknown, nowMs = Date.now()): void {
    const known = this.#kinds.get(kind) ?? { saidAtMs: -Infinity, kept: 0 };
    this.#kinds.set(kind, known);
    known.kept += 1;
    if (nowMs - known.saidAtMs < everyMs) return;
    const count = known.kept;
    known.saidAtMs = nowMs;
    known.kept = 0;
    this.#say({ kind, count, error });
  }
}
