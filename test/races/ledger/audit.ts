import type { Limit } from '../../../limiter/src/core/limit.ts';
import type { Asked, Attempt, Line, Outcome, UnitCosts } from './journal.ts';
import { counterName, partsOf } from './limits.ts';

/** One charge or reservation, and all that was done to it. */
type Entry = { readonly asked: Asked; settled: UnitCosts | null; refunded: UnitCosts | null };

export type Tally = Record<string, number>;

/** What must be used of every counter, by what the callers were told. */
export class Audit {
  /** How often each thing happened. */
  readonly tally: Tally = {};
  /** What callers were told that can't be. */
  readonly problems: string[] = [];
  /** Begun, and not known to be done. */
  readonly unresolved: Attempt[] = [];
  readonly #entries = new Map<string, Entry>();

  /** The journal of one life of one process. */
  read(lines: readonly Line[]): void {
    const begun = new Map<number, Attempt>();
    for (const line of lines) {
      if ('attempt' in line) {
        begun.set(line.step, line.attempt);
        continue;
      }
      const attempt = begun.get(line.step);
      if (!attempt) throw new Error(`step ${line.step} was done before it was begun`);
      begun.delete(line.step);
      this.note(attempt, line.outcome);
    }
    this.unresolved.push(...begun.values());
    this.#count('steps', lines.filter((line) => 'attempt' in line).length);
  }

  note(attempt: Attempt, outcome: Outcome): void {
    switch (attempt.kind) {
      case 'ask':
        return this.#asked(attempt.asked, outcome);
      case 'clash':
        this.#count('clashes');
        return this.#expect(outcome.kind === 'conflict', attempt, outcome);
      case 'settle':
        return this.#settled(attempt, outcome);
      case 'refund':
        return this.#refunded(attempt, outcome);
      case 'beat':
        this.#count(`heartbeats ${outcome.kind}`);
        return this.#expect(outcome.kind === 'held' || outcome.kind === 'gone', attempt, outcome);
    }
  }

  /** What was asked about afterwards turned out never to have happened. */
  noteNothing(): void {
    this.#count('never happened');
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  #asked(asked: Asked, outcome: Outcome): void {
    if (outcome.kind !== 'answered') return this.#expect(false, asked, outcome);
    this.#expect(outcome.alike, asked, outcome);
    if (!outcome.allowed) return this.#count('refused');
    const { id } = outcome;
    const isRepeated = id !== asked.id;
    this.#count(isRepeated ? 'repeated' : asked.reserve ? 'reserved' : 'charged');
    if (!isRepeated && this.#entries.has(id)) this.#expect(false, asked, outcome);
    if (this.#entries.has(id)) return;
    this.#entries.set(id, { asked: { ...asked, id }, settled: null, refunded: null });
  }

  #settled(attempt: Extract<Attempt, { kind: 'settle' }>, outcome: Outcome): void {
    const entry = this.#entries.get(attempt.id);
    if (!entry || (outcome.kind !== 'settled' && outcome.kind !== 'repeated')) {
      return this.#expect(false, attempt, outcome);
    }
    this.#count(outcome.kind === 'repeated' ? 'settled again' : outcome.late ? 'late' : 'settled');
    // Who settles first is told so, and everybody is told the same.
    const isFirst = outcome.kind === 'settled';
    const { settled } = entry;
    const alike = settled === null || JSON.stringify(settled) === JSON.stringify(outcome.costs);
    this.#expect(alike && !(isFirst && settled !== null), attempt, outcome);
    entry.settled = outcome.costs;
  }

  #refunded(attempt: Extract<Attempt, { kind: 'refund' }>, outcome: Outcome): void {
    const entry = this.#entries.get(attempt.asked.id);
    const refunded = outcome.kind === 'refunded' || outcome.kind === 'refunded before';
    if (!entry || !refunded) return this.#expect(false, attempt, outcome);
    this.#count(outcome.kind);
    entry.refunded = attempt.costs;
  }

  /** By counter; those without an entry were never used. */
  used(limits: readonly Limit[]): Map<string, number> {
    const used = new Map<string, number>();
    for (const entry of this.#entries.values()) {
      for (const at of entry.asked.limits) {
        const { name, unit } = limits[at] as Limit;
        const counter = counterName(name, partsOf(entry.asked.subject)[at] ?? []);
        used.set(counter, (used.get(counter) ?? 0) + costOf(entry, unit));
      }
    }
    return used;
  }

  #count(what: string, by = 1): void {
    this.tally[what] = (this.tally[what] ?? 0) + by;
  }

  #expect(isRight: boolean, asked: object, told: object): void {
    if (!isRight) this.problems.push(JSON.stringify({ asked, told }));
  }
}

/** Settled, kept or given back; charged, less what was refunded. */
function costOf({ asked, settled, refunded }: Entry, unit: string): number {
  const cost = (asked.costs as UnitCosts)[unit] ?? 0;
  if (!asked.reserve) return cost - (refunded?.[unit] ?? 0);
  if (settled) return settled[unit] ?? 0;
  return asked.reserve.onExpiry === 'keep' ? cost : 0;
}
