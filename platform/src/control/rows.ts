import { InvalidInput } from 'sluice';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Tables } from '../database/tables.ts';
import { NotFound, VersionConflict } from './errors.ts';

/** What the nouns' tables have in common. */

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

/** What could not be an id is the id of nothing, and never reaches the database. */
export function requireUuid(noun: string, id: string): string {
  if (!isUuid(id)) throw new NotFound(noun);
  return id;
}

/** Of a filter: not an id at all is a mistake worth telling. */
export function parseTenantId(text: string): string {
  if (!isUuid(text)) throw new InvalidInput('tenant_id', "must be a tenant's id");
  return text;
}

/** The version that is about to be written. */
export const nextVersion = {
  version: sql<number>`version + 1`,
  updated_at: sql<Date>`now()`,
} as const;

export function found<Row>(noun: string, row: Row | undefined): Row {
  if (row === undefined) throw new NotFound(noun);
  return row;
}

/** Null stands for an actor who does not mind what it overwrites. */
export function requireVersion(
  noun: string,
  row: { readonly version: number },
  expected: number | null,
): void {
  if (expected !== null && expected !== row.version) throw new VersionConflict(noun, row.version);
}

export type VersionedTable = 'tenants' | 'plans' | 'policies' | 'overrides' | 'blocks' | 'modes';

/** Objects of one kind: where they are, what one is called, and how it is shown. */
export type Collection<Name extends VersionedTable, T> = {
  readonly table: Name;
  readonly noun: string;
  readonly toObject: (row: Selectable<Tables[Name]>) => T;
};

/** What a change is about to change: nobody else's until it is done, and as the actor knows it. */
export async function lockObject<
  Name extends VersionedTable,
  T extends { readonly version: number },
>(
  tx: Transaction<Tables>,
  {
    table,
    noun,
    id,
    expectedVersion,
    toObject,
  }: Collection<Name, T> & { readonly id: string; readonly expectedVersion: number | null },
): Promise<T> {
  const { rows } = await sql<Selectable<Tables[Name]>>`
    SELECT * FROM ${sql.table(table)} WHERE id = ${id} FOR UPDATE`.execute(tx);
  const object = toObject(found(noun, rows[0]));
  requireVersion(noun, object, expectedVersion);
  return object;
}

export async function requireTenant(db: Kysely<Tables>, tenantId: string): Promise<void> {
  const row = await db
    .selectFrom('tenants')
    .select('id')
    .where('id', '=', requireUuid('tenant', tenantId))
    .executeTakeFirst();
  found('tenant', row);
}

export function isoOf(at: Date): string;
export function isoOf(at: Date | null): string | null;
export function isoOf(at: Date | null): string | null {
  return at === null ? null : at.toISOString();
}

const latestMs = Date.UTC(9999, 11, 31);

export function parseInstant(field: string, text: string): Date {
  const at = new Date(text);
  // Not a number when the date does not exist.
  if (!(Math.abs(at.getTime()) <= latestMs)) throw new InvalidInput(field, 'is not a real date');
  return at;
}

/** When a credential ends: null is never. */
export function parseExpiry(text: string | null | undefined): Date | null {
  if (text === null || text === undefined) return null;
  const at = parseInstant('expires_at', text);
  if (at.getTime() <= Date.now()) throw new InvalidInput('expires_at', 'must be in the future');
  return at;
}
