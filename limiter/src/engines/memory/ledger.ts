import type { LedgerCount } from '../../core/engine.ts';

type Counted = { -readonly [K in keyof LedgerCount]: LedgerCount[K] };

const keptMinutes = 3 * 24 * 60;
export const ledgerKeptUs = keptMinutes * 60_000_000;

export function minuteOf(nowUs: number): number {
  return Math.floor(nowUs / 60_000_000);
}

/** How often what happened to whom, by minute, since somebody last took it. */
export class Ledger {
  readonly #counts = new Map<string, Counted>();
  /** Nearly all checks count where the last one did: no name is put together for them. */
  #last: Counted | null = null;

  get size(): number {
    return this.#counts.size;
  }

  add({ minute, outcome, label, count }: LedgerCount): void {
    const last = this.#last;
    if (last && last.minute === minute && last.outcome === outcome && last.label === label) {
      last.count += count;
      return;
    }
    const field = `${minute}:${outcome}:${label}`;
    const known = this.#counts.get(field);
    const counted = known ?? { minute, outcome, label, count: 0 };
    if (!known) this.#counts.set(field, counted);
    counted.count += count;
    this.#last = counted;
  }

  /** All of it, and begins anew. */
  take(): LedgerCount[] {
    const taken = [...this.#counts.values()];
    this.#counts.clear();
    this.#last = null;
    return taken;
  }

  /** One that nobody takes must not grow for ever. */
  forgetUntaken(nowUs: number): void {
    const oldest = minuteOf(nowUs) - keptMinutes;
    for (const [field, { minute }] of this.#counts) if (minute < oldest) this.#counts.delete(field);
    this.#last = null;
  }

  entries(): [string, LedgerCount][] {
    return Array.from(this.#counts, ([field, counted]) => [field, { ...counted }]);
  }
}
