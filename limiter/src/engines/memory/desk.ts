import type { TenantRef } from '../../core/engine.ts';
import type { Books, TenantBooks } from './books.ts';
import type { Cells, TenantCells } from './cells.ts';

/** Where one call is dealt with: the tenant's counters and books, at one instant. */
export class Desk {
  readonly cells: Cells;
  readonly tenant: TenantCells;
  readonly nowUs: number;
  readonly #books: Books;

  constructor(cells: Cells, books: Books, tenant: TenantRef, nowUs: number) {
    this.cells = cells;
    this.tenant = cells.of(tenant);
    this.nowUs = nowUs;
    this.#books = books;
  }

  /** Looked up only when needed: a plain check has no entry in any book. */
  books(): TenantBooks {
    return this.#books.of(this.tenant.tenant);
  }
}
