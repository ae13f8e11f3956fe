import type { Kysely, Selectable } from 'kysely';
import type { PublicationsTable, Tables } from '../../database/tables.ts';
import type { Actor } from '../actor.ts';
import { requirePlatform } from '../authorize.ts';
import { NotFound } from '../errors.ts';
import { type Page, type PageQuery, readPage } from '../page.ts';
import { found, isoOf } from '../rows.ts';

/** How far the news of a shared change has come. Done is when no tenant decides by the old one. */
export type Publication = {
  readonly id: string;
  readonly epoch: number;
  readonly cause: string;
  /** Null until the first tenants have been told. */
  readonly total: number | null;
  readonly done: number;
  readonly started_at: string;
  readonly finished_at: string | null;
};

/** Of the platform: they tell how many tenants there are. */
export class Publications {
  readonly #db: Kysely<Tables>;

  constructor({ db }: { readonly db: Kysely<Tables> }) {
    this.#db = db;
  }

  /** The newest first. */
  async list(actor: Actor, page: PageQuery): Promise<Page<Publication>> {
    requirePlatform(actor, 'see publications');
    return readPage(this.#db.selectFrom('publications').selectAll(), {
      list: 'publications',
      page,
      by: 'epoch',
      order: 'desc',
      isKey: isEpoch,
      toItem: publicationOf,
    });
  }

  async get(actor: Actor, id: string): Promise<Publication> {
    requirePlatform(actor, 'see publications');
    if (!isEpoch(id)) throw new NotFound('publication');
    const row = await this.#db
      .selectFrom('publications')
      .selectAll()
      .where('epoch', '=', Number(id))
      .executeTakeFirst();
    return publicationOf(found('publication', row));
  }
}

function isEpoch(text: string): boolean {
  return /^[1-9][0-9]{0,14}$/.test(text);
}

export function publicationOf(row: Selectable<PublicationsTable>): Publication {
  return {
    id: String(row.epoch),
    epoch: row.epoch,
    cause: row.cause,
    total: row.total,
    done: row.done,
    started_at: isoOf(row.started_at),
    finished_at: isoOf(row.finished_at),
  };
}
