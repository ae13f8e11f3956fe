import { InvalidInput } from 'sluice';
import { sql, type Kysely } from 'kysely';
import type { Actor } from '../../control/actor.ts';
import { NotFound } from '../../control/errors.ts';
import {
  type Page,
  pageSizeDefault,
  type PageQuery,
  readCursor,
  writeCursor,
} from '../../control/page.ts';
import { isoOf, parseInstant, parseTenantId } from '../../control/rows.ts';
import type { Tables } from '../../database/index.ts';
import type { Outcome } from '../../observe/index.ts';
import type { Receipt, ReceiptRow } from './receipt.ts';

export type ReceiptQuery = PageQuery & {
  readonly tenant_id?: string;
  readonly outcome?: Outcome;
  readonly limit_name?: string;
  readonly subject_hash?: string;
  /** At or after. */
  readonly from?: string;
  /** Before. */
  readonly to?: string;
};

const rowsAtOnce = 2000;
/** So that one pass ends; what is left is for the next. */
const passesMax = 1000;
const idPattern = /^[\w-]{1,128}$/;
const list = 'decisions';

const whyNot =
  'receipts are written within about two seconds and kept for some days, of checks that were merely ' +
  'allowed only a sample is; under a flood the first refusal of a subject by a limit in a second has ' +
  'one, and the others are counted on it: list /v1/admin/decisions by tenant_id, subject_hash, from and to';

/** Receipts as they are kept. */
export class Receipts {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /**
   * Each once, however often it is tried. Not of tenants that are gone, nor of a subject that was
   * erased since.
   */
  async write(rows: readonly ReceiptRow[]): Promise<void> {
    await sql`
      INSERT INTO receipts (decision_id, tenant_id, at, outcome, subject_hash, limit_names, body)
      SELECT new.decision_id, new.tenant_id, new.at, new.outcome, new.subject_hash,
        string_to_array(new.limit_names, E'\n'), new.body::json
      FROM unnest(${rows.map(({ decisionId }) => decisionId)}::text[],
        ${rows.map(({ tenantId }) => tenantId)}::uuid[],
        ${rows.map(({ at }) => isoOf(at))}::timestamptz[],
        ${rows.map(({ outcome }) => outcome)}::text[],
        ${rows.map(({ subjectHash }) => subjectHash)}::text[],
        ${rows.map(({ limitNames }) => limitNames.join('\n'))}::text[],
        ${rows.map(({ body }) => body)}::text[])
        AS new (decision_id, tenant_id, at, outcome, subject_hash, limit_names, body)
      JOIN tenants ON tenants.id = new.tenant_id
      WHERE NOT EXISTS (
        SELECT FROM erasures
        WHERE erasures.tenant_id = new.tenant_id AND erasures.subject_hash = new.subject_hash
          AND erasures.at >= new.at
      )
      ON CONFLICT DO NOTHING`.execute(this.#db);
  }

  async get(actor: Actor, id: string): Promise<Receipt> {
    const row = idPattern.test(id)
      ? await this.#seenBy(actor).where('decision_id', '=', id).executeTakeFirst()
      : undefined;
    if (row === undefined) throw new NotFound('receipt', whyNot);
    return row.body as Receipt;
  }

  /** The newest first. */
  async list(actor: Actor, filters: ReceiptQuery): Promise<Page<Receipt>> {
    const { limit: size = pageSizeDefault, cursor, from, to, ...by } = filters;
    let query = this.#seenBy(actor);
    if (by.tenant_id !== undefined) {
      query = query.where('tenant_id', '=', parseTenantId(by.tenant_id));
    }
    if (by.outcome !== undefined) query = query.where('outcome', '=', by.outcome);
    if (by.subject_hash !== undefined) query = query.where('subject_hash', '=', by.subject_hash);
    if (by.limit_name !== undefined) {
      query = query.where(sql<boolean>`${by.limit_name} = ANY (limit_names)`);
    }
    if (from !== undefined) query = query.where('at', '>=', parseInstant('from', from));
    if (to !== undefined) query = query.where('at', '<', parseInstant('to', to));
    if (cursor !== undefined) query = query.where(isBefore(cursor));
    const rows = await query
      .orderBy('at', 'desc')
      .orderBy('decision_id', 'desc')
      .limit(size + 1)
      .execute();
    const shown = rows.slice(0, size);
    const last = rows.length > size ? shown.at(-1) : undefined;
    return {
      items: shown.map(({ body }) => body as Receipt),
      next_cursor: last ? writeCursor(list, `${isoOf(last.at)} ${last.decision_id}`) : null,
    };
  }

  /** All of one subject. Says how many there were. */
  erase(tenantId: string, subjectHash: string): Promise<number> {
    return this.#remove(sql`tenant_id = ${tenantId} AND subject_hash = ${subjectHash}`);
  }

  /** What is older than it may get, what is left of tenants that are gone, and what came too late. */
  async removeOld(days: number): Promise<number> {
    const old = sql`at < now() - make_interval(days => ${days})`;
    const removed = [
      await this.#remove(old),
      await this.#remove(sql`tenant_id IN (
        SELECT tenant_id FROM tenant_epochs
        WHERE deleted AND changed_at > now() - make_interval(days => ${days}))`),
      await this.#remove(sql`EXISTS (
        SELECT FROM erasures WHERE erasures.tenant_id = receipts.tenant_id
          AND erasures.subject_hash = receipts.subject_hash AND erasures.at >= receipts.at)`),
    ];
    await sql`DELETE FROM erasures WHERE ${old}`.execute(this.#db);
    return removed.reduce((sum, count) => sum + count, 0);
  }

  /** A few at a time: nobody waits for long, and several nodes can do it at once. */
  async #remove(which: ReturnType<typeof sql>): Promise<number> {
    let removed = 0;
    for (let pass = 0; pass < passesMax; pass += 1) {
      const { numAffectedRows = 0n } = await sql`
        DELETE FROM receipts WHERE decision_id IN (
          SELECT decision_id FROM receipts WHERE ${which} LIMIT ${rowsAtOnce}
          FOR UPDATE SKIP LOCKED
        )`.execute(this.#db);
      removed += Number(numAffectedRows);
      if (numAffectedRows < rowsAtOnce) break;
    }
    return removed;
  }

  #seenBy({ tenantId }: Actor) {
    const query = this.#db
      .selectFrom('receipts')
      .select(['decision_id', 'at', 'body'])
      .where(sql<boolean>`EXISTS (SELECT FROM tenants WHERE tenants.id = receipts.tenant_id)`);
    return tenantId === null ? query : query.where('tenant_id', '=', tenantId);
  }
}

const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function isBefore(cursor: string) {
  const [at = '', id = ''] = readCursor(list, cursor).split(' ');
  if (!instantPattern.test(at) || !idPattern.test(id)) {
    throw new InvalidInput('cursor', 'is not one of this list; use next_cursor of the page before');
  }
  return sql<boolean>`(at, decision_id) < (${at}::timestamptz, ${id})`;
}
