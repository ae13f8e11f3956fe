import type { Costs } from '../../core/costs.ts';
import type {
  BoundLimit,
  Decided,
  Epoch,
  LedgerCount,
  LedgerRecord,
  LedgerTaken,
  TenantRef,
} from '../../core/engine.ts';
import { ExpiringMap, valueAt, type Entry } from './expiring-map.ts';
import { Ledger, ledgerKeptUs } from './ledger.ts';

/** What a tenant has besides counters. */
export type TenantBooks = {
  epoch: Entry<Epoch> | null;
  readonly records: ExpiringMap<AnswerRecord>;
  readonly reservations: ExpiringMap<Reservation>;
  readonly charges: ExpiringMap<Charge>;
  readonly refunds: ExpiringMap<true>;
  readonly tickets: ExpiringMap<Ticket>;
  readonly ledger: Ledger;
  /** Of the ledger, set aside: by their numbers. */
  readonly batches: Map<number, Entry<readonly LedgerCount[]>>;
  /** The number of the last batch that was dropped. */
  lastDropped: Entry<number> | null;
  /** The number of each writer's last record. */
  readonly writers: ExpiringMap<number>;
};

export type AnswerRecord = {
  readonly id: string;
  readonly fingerprint: string;
  /** The counters that the answer's readings are of. */
  readonly layout: string;
  readonly answer: Decided;
};

/** The counters in which a ticket has a slot. */
export type Ticket = { readonly slots: readonly BoundLimit[] };

/** What was charged, kept for a refund by id. */
export type Charge = { readonly limits: readonly BoundLimit[]; readonly chargedAtUs: number };

export type Reservation = {
  readonly holds: readonly { readonly bound: BoundLimit; readonly windowStartUs: number }[];
  /** What was asked for, by unit: also of limits that hold nothing of it. */
  readonly costs: Costs;
  readonly keep: boolean;
  /** When its holds run out, and are charged if they are to be kept. */
  expiresAtUs: number;
  readonly ttlMs: number;
  /** What it was settled at, by unit, and whether too late. */
  settled: { readonly costs: Costs; readonly late: boolean } | null;
};

export class Books {
  readonly #tenants = new Map<string, TenantBooks>();
  /** Where the sweep is. */
  #left: IterableIterator<[string, TenantBooks]> | null = null;
  readonly #entriesMax: number;

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  /** A later generation has books of its own, as it has counters of its own. */
  of(tenant: TenantRef): TenantBooks {
    return this.at(bookKeyOf(tenant));
  }

  at(key: string): TenantBooks {
    const found = this.#tenants.get(key);
    if (found) return found;
    const made: TenantBooks = {
      epoch: null,
      records: new ExpiringMap(this.#entriesMax),
      reservations: new ExpiringMap(this.#entriesMax),
      charges: new ExpiringMap(this.#entriesMax),
      refunds: new ExpiringMap(this.#entriesMax),
      tickets: new ExpiringMap(this.#entriesMax),
      ledger: new Ledger(),
      batches: new Map(),
      lastDropped: null,
      writers: new ExpiringMap(this.#entriesMax),
    };
    this.#tenants.set(key, made);
    return made;
  }

  /** So many tenants of all, from where it was left: who has many is not to wait for all of them. */
  sweep(tenants: number, nowUs: number): void {
    for (let swept = 0; swept < tenants; swept += 1) {
      this.#left ??= this.#tenants.entries();
      const next = this.#left.next();
      if (next.done) {
        this.#left = null;
        return;
      }
      const [key, books] = next.value;
      books.records.sweep(nowUs);
      books.reservations.sweep(nowUs);
      books.charges.sweep(nowUs);
      books.refunds.sweep(nowUs);
      books.tickets.sweep(nowUs);
      books.writers.sweep(nowUs);
      books.ledger.forgetUntaken(nowUs);
      forgetOver(books, nowUs);
      if (isEmpty(books)) this.#tenants.delete(key);
    }
  }

  all(): IterableIterator<[string, TenantBooks]> {
    return this.#tenants.entries();
  }
}

/** Begins with a digit, whatever the tenant is called. */
export function bookKeyOf({ id, generation = 0 }: TenantRef): string {
  return `${generation}:${id}`;
}

function forgetOver(books: TenantBooks, nowUs: number): void {
  if (valueAt(books.epoch, nowUs) === undefined) books.epoch = null;
  if (valueAt(books.lastDropped, nowUs) === undefined) books.lastDropped = null;
  for (const [number, batch] of books.batches) {
    if (valueAt(batch, nowUs) === undefined) books.batches.delete(number);
  }
}

function isEmpty({ epoch, ledger, batches, lastDropped, writers, ...books }: TenantBooks) {
  const { records, reservations, charges, refunds, tickets } = books;
  const entries = records.size + reservations.size + charges.size + refunds.size + tickets.size;
  const moving = ledger.size + batches.size + writers.size;
  return epoch === null && lastDropped === null && entries + moving === 0;
}

/** False when the writer has written it before. */
export function beginRecord({ writers }: TenantBooks, by: Written, nowUs: number): boolean {
  if (by.number <= (writers.get(by.writer, nowUs) ?? 0)) return false;
  writers.set(by.writer, by.number, { expiresAtUs: nowUs + ledgerKeptUs, nowUs });
  return true;
}

type Written = Pick<LedgerRecord, 'writer' | 'number'>;

/** What was counted, as a batch of that number: the same again until it is dropped. */
export function takeBatch(books: TenantBooks, batch: number, nowUs: number): LedgerTaken {
  const last = valueAt(books.lastDropped, nowUs) ?? 0;
  if (last >= batch) return { kind: 'dropped', last };
  if (books.batches.has(batch - 1)) dropBatch(books, batch - 1, nowUs);
  const known = valueAt(books.batches.get(batch), nowUs);
  if (known) return { kind: 'taken', counts: known };
  const counts = books.ledger.take();
  if (counts.length > 0) {
    books.batches.set(batch, { value: counts, expiresAtUs: nowUs + ledgerKeptUs });
  }
  return { kind: 'taken', counts };
}

export function dropBatch(books: TenantBooks, batch: number, nowUs: number): void {
  books.batches.delete(batch);
  if (batch <= (valueAt(books.lastDropped, nowUs) ?? 0)) return;
  books.lastDropped = { value: batch, expiresAtUs: nowUs + ledgerKeptUs };
}
