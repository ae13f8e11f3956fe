import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Tables } from '../../database/index.ts';

const hourDays = 400;
const keptDays = 7;
const rowsAtOnce = 5000;
/** What is left, the next time deletes. */
const roundsMax = 200;

type Table = 'rollout_subjects' | 'rollout_hours';

/** Deletes what is older than it may be, and what is of no tenant any more, a few rows at a time. */
export class RolloutOldRows {
  readonly #db: Kysely<Tables>;
  readonly #subjectDays: number;

  constructor(db: Kysely<Tables>, { subjectDays }: { readonly subjectDays: number }) {
    this.#db = db;
    this.#subjectDays = subjectDays;
  }

  /** Returns how many rows of subjects and hours. */
  async removeOld(): Promise<number> {
    const ofNobody = await this.#removeGone();
    const subjects = await this.#remove('rollout_subjects', olderThan(this.#subjectDays));
    const hours = await this.#remove('rollout_hours', olderThan(hourDays));
    const isOld = sql`now() - make_interval(days => ${keptDays})`;
    await sql`DELETE FROM rollout_batches WHERE written_at < ${isOld}`.execute(this.#db);
    await sql`DELETE FROM rollout_erasures WHERE at < ${isOld}`.execute(this.#db);
    return ofNobody + subjects + hours;
  }

  /** Of tenants that were deleted. The limit goes last: until then the rest is found by it. */
  async #removeGone(): Promise<number> {
    const { rows: gone } = await sql<{ id: number }>`
      SELECT id FROM rollout_limits l
      WHERE NOT EXISTS (SELECT FROM tenants t WHERE t.id = l.tenant_id)
      ORDER BY id LIMIT ${rowsAtOnce}`.execute(this.#db);
    let removed = 0;
    for (const { id } of gone) {
      const isOfIt = sql`limit_id = ${id}`;
      removed += await this.#remove('rollout_subjects', isOfIt);
      removed += await this.#remove('rollout_hours', isOfIt);
      await sql`
        DELETE FROM rollout_limits WHERE id = ${id}
          AND NOT EXISTS (SELECT FROM rollout_subjects WHERE limit_id = ${id})`.execute(this.#db);
    }
    return removed;
  }

  async #remove(table: Table, condition: RawBuilder<unknown>): Promise<number> {
    let removed = 0;
    for (let round = 0; round < roundsMax; round += 1) {
      const { numAffectedRows = 0n } = await sql`
        DELETE FROM ${sql.table(table)} WHERE ctid IN (
          SELECT ctid FROM ${sql.table(table)} WHERE ${condition} LIMIT ${rowsAtOnce}
        )`.execute(this.#db);
      removed += Number(numAffectedRows);
      if (numAffectedRows < rowsAtOnce) break;
    }
    return removed;
  }
}

function olderThan(days: number): RawBuilder<unknown> {
  return sql`hour < now() - make_interval(days => ${days})`;
}
