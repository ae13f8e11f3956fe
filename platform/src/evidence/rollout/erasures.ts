import { sql, type Kysely, type Transaction } from 'kysely';
import type { Tables } from '../../database/index.ts';
import type { Eraser } from '../erasure.ts';
import type { SubjectNames } from './subject-names.ts';
import type { RolloutWriter } from './writer.ts';

/** Who writes subjects and who erases one take turns, by this number. */
const turn = 7_220_106;

/**
 * Erases a subject from the rollout. First what this node has in memory is written, so that it is
 * found; what other nodes have, they leave out when they write it, for who was erased is known to
 * them by a hash for as long as it could matter.
 */
export class RolloutEraser implements Eraser {
  readonly name = 'rollout';
  readonly #db: Kysely<Tables>;
  readonly #writer: Pick<RolloutWriter, 'flush' | 'erase'>;
  readonly #names: SubjectNames;

  constructor({
    db,
    writer,
    names,
  }: {
    readonly db: Kysely<Tables>;
    readonly writer: Pick<RolloutWriter, 'flush' | 'erase'>;
    readonly names: SubjectNames;
  }) {
    this.#db = db;
    this.#writer = writer;
    this.#names = names;
  }

  async erase(tenantId: string, subject: string): Promise<number> {
    await this.#writer.flush();
    await this.#writer.erase(tenantId, subject);
    const stored = this.#names.stored(subject);
    const hash = this.#names.hashOf(tenantId, stored);
    return this.#db.transaction().execute(async (tx) => {
      await sql`SELECT pg_advisory_xact_lock(${turn})`.execute(tx);
      await sql`
        INSERT INTO rollout_erasures (tenant_id, subject_hash) VALUES (${tenantId}, ${hash})
        ON CONFLICT (tenant_id, subject_hash) DO UPDATE SET at = now()`.execute(tx);
      const { numAffectedRows } = await sql`
        DELETE FROM rollout_subjects WHERE subject = ${stored}
          AND limit_id IN (SELECT id FROM rollout_limits WHERE tenant_id = ${tenantId})`.execute(
        tx,
      );
      return Number(numAffectedRows ?? 0);
    });
  }
}

/** Longer than a transaction waits: of what began before, nothing is missed. */
const marginMs = 30_000;

/** Who was erased since then, by hash; nobody else is until the transaction ends. */
export async function shareErasures(
  tx: Transaction<Tables>,
  ageMs: number,
): Promise<ReadonlySet<string>> {
  await sql`SELECT pg_advisory_xact_lock_shared(${turn})`.execute(tx);
  const { rows } = await sql<{ subject_hash: string }>`
    SELECT subject_hash FROM rollout_erasures
    WHERE at > now() - make_interval(secs => ${(ageMs + marginMs) / 1000})`.execute(tx);
  return new Set(rows.map(({ subject_hash: hash }) => hash));
}
