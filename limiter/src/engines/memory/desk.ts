import type { TenantRef } from '../../core/engine.ts';
import type { Books, TenantBooks } from './books.ts';
import type { Cells, TenantCells } from './cells.ts';
import type { Seeds } from './seeds.ts';

/** All that an engine keeps. */
export type Stock = { readonly cells: Cells; readonly books: Books; readonly seeds: Seeds };

/** Where one call is dealt with: the tenant's counters and books, at one instant. */
export class Desk {
  readonly cells: Cells;
  readonly seeds: Seeds;
  readonly tenant: TenantCells;
  readonly nowUs: number;
  readonly #books: Books;

  constructor({ cells, books, seeds }: Stock, tenant: TenantRef, nowUs: number) {
    this.cells = cells;
    this.seeds = seeds;
    this.tenant = cells.of(tenant);
    this.nowUs = nowUs;
    this.#books = books;
  }

  /** Looked up only when needed: a plain check has no entry in any book. */
  books(): TenantBooks {
    return this.#books.of(this.tenant.tenant);
  }
}
