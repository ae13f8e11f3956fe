import type { Costs } from '../../core/costs.ts';
import type {
  BoundLimit,
  Decided,
  Epoch,
  LedgerCount,
  LedgerRecord,
  TenantRef,
} from '../../core/engine.ts';
import { ExpiringMap } from './expiring-map.ts';
import { Ledger, ledgerKeptUs } from './ledger.ts';

/** What a tenant has besides counters. */
export type TenantBooks = {
  epoch: Epoch | null;
  readonly records: ExpiringMap<AnswerRecord>;
  readonly reservations: ExpiringMap<Reservation>;
  readonly charges: ExpiringMap<Charge>;
  readonly refunds: ExpiringMap<true>;
  readonly tickets: ExpiringMap<Ticket>;
  readonly ledger: Ledger;
  readonly batches: Map<number, readonly LedgerCount[]>;
  /** The number of the last batch that was dropped. */
  batchesDropped: number;
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
      batchesDropped: 0,
      writers: new ExpiringMap(this.#entriesMax),
    };
    this.#tenants.set(key, made);
    return made;
  }

  sweep(nowUs: number): void {
    for (const [key, books] of this.#tenants) {
      books.records.sweep(nowUs);
      books.reservations.sweep(nowUs);
      books.charges.sweep(nowUs);
      books.refunds.sweep(nowUs);
      books.tickets.sweep(nowUs);
      books.writers.sweep(nowUs);
      books.ledger.forgetUntaken(nowUs);
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

function isEmpty({ epoch, ledger, batches, batchesDropped, writers, ...books }: TenantBooks) {
  const { records, reservations, charges, refunds, tickets } = books;
  const entries = records.size + reservations.size + charges.size + refunds.size + tickets.size;
  const moving = ledger.size + batches.size + batchesDropped + writers.size;
  return epoch === null && entries + moving === 0;
}

/** False when the writer has written it before. */
export function beginRecord({ writers }: TenantBooks, by: Written, nowUs: number): boolean {
  if (by.number <= (writers.get(by.writer, nowUs) ?? 0)) return false;
  writers.set(by.writer, by.number, { expiresAtUs: nowUs + ledgerKeptUs, nowUs });
  return true;
}

type Written = Pick<LedgerRecord, 'writer' | 'number'>;

export function dropBatch(books: TenantBooks, batch: number): void {
  books.batches.delete(batch);
  books.batchesDropped = Math.max(books.batchesDropped, batch);
}
