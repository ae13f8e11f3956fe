import { InvalidInput } from 'sluice';
import { crc32 } from 'node:zlib';
import type { SelectQueryBuilder } from 'kysely';
import type { Tables } from '../database/tables.ts';

export const pageSizeDefault = 50;
export const pageSizeMax = 200;

export type PageQuery = { readonly limit?: number; readonly cursor?: string };

export type Page<T> = { readonly items: readonly T[]; readonly next_cursor: string | null };

type Order = 'asc' | 'desc';

/**
 * One page in the order of a column that never changes: what is added or removed meanwhile neither
 * hides nor repeats anything else.
 */
export async function readPage<Name extends keyof Tables, Row extends object, T>(
  query: SelectQueryBuilder<Tables, Name, Row>,
  {
    list,
    page,
    by,
    order = 'asc',
    isKey,
    toItem,
  }: {
    /** Names the list, so that a cursor of another one is refused. */
    readonly list: string;
    readonly page: PageQuery;
    readonly by: keyof Row & string;
    readonly order?: Order;
    /** Whether a text could be a value of that column at all. */
    readonly isKey: (text: string) => boolean;
    readonly toItem: (row: Row) => T;
  },
): Promise<Page<T>> {
  const size = page.limit ?? pageSizeDefault;
  const after = page.cursor === undefined ? null : readCursor(list, page.cursor);
  if (after !== null && !isKey(after)) throw notACursor();
  const column = by as never;
  const rows = await query
    .$if(after !== null, (rest) => rest.where(column, order === 'asc' ? '>' : '<', after as never))
    .orderBy(column, order)
    .limit(size + 1)
    .execute();
  const shown = rows.slice(0, size) as Row[];
  const last = rows.length > size ? shown.at(-1) : undefined;
  return {
    items: shown.map((row) => toItem(row)),
    next_cursor: last === undefined ? null : writeCursor(list, String(last[by])),
  };
}

/**
 * A cursor is no secret and opens nothing, for each page is filtered anew. Its checksum only tells
 * one that was cut, typed or meant for another list from an honest one.
 */
export function writeCursor(list: string, after: string): string {
  return Buffer.from(`${checksumOf(list, after)}${after}`).toString('base64url');
}

export function readCursor(list: string, cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  const after = text.slice(checksumLength);
  if (text.slice(0, checksumLength) !== checksumOf(list, after)) throw notACursor();
  // More than one text decodes to the same bytes: only the one we wrote is ours.
  if (writeCursor(list, after) !== cursor) throw notACursor();
  return after;
}

const checksumLength = 8;

function checksumOf(list: string, after: string): string {
  return crc32(`${list} ${after}`).toString(16).padStart(checksumLength, '0');
}

function notACursor(): InvalidInput {
  return new InvalidInput('cursor', 'is not one of this list; use next_cursor of the page before');
}
