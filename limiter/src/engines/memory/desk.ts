import type { TenantRef } from '../../core/engine.ts';
import type { CounterNames } from '../names/counter-names.ts';
import type { TicketMarks } from '../names/ticket-marks.ts';
import type { Books, TenantBooks } from './books.ts';
import type { Cells, TenantCells } from './cells.ts';
import type { Seeds } from './seeds.ts';

/** All that an engine keeps, and how it calls it towards others. */
export type Stock = {
  readonly cells: Cells;
  readonly books: Books;
  readonly seeds: Seeds;
  readonly names: CounterNames;
  readonly marks: TicketMarks;
};

/** Where one call is dealt with: the tenant's counters and books, at one instant. */
export class Desk {
  readonly cells: Cells;
  readonly seeds: Seeds;
  readonly tenant: TenantCells;
  readonly nowUs: number;
  readonly #stock: Stock;
  #books: TenantBooks | null = null;

  constructor(stock: Stock, tenant: TenantRef, nowUs: number) {
    this.cells = stock.cells;
    this.seeds = stock.seeds;
    this.tenant = stock.cells.of(tenant);
    this.nowUs = nowUs;
    this.#stock = stock;
  }

  get names(): CounterNames {
    return this.#stock.names;
  }

  /** Looked up only when needed: a plain check has no entry in any book. */
  books(): TenantBooks {
    return (this.#books ??= this.#stock.books.of(this.tenant.tenant));
  }

  ticketOf(id: string): string {
    return this.#stock.marks.mark(this.tenant.tenant.id, id);
  }

  /** The id of a ticket that this tenant was given, or null. */
  idIn(ticket: string): string | null {
    return this.#stock.marks.textIn(this.tenant.tenant.id, ticket);
  }
}
