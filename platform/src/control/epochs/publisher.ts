import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { Deadline } from 'sluice';
import type { Engine } from 'sluice/core';
import type { Tables } from '../../database/tables.ts';
import { readSharedEpoch, refOf, type TenantEpoch } from './epochs.ts';

const batchSize = 500;
const atOnce = 50;
/** A store that says nothing must not keep a change from being answered. */
const answerMsMax = 2000;

/**
 * Tells the store which configuration is current. Right after a change; and again by `sweep`, for a
 * writer may die between its commit and its word.
 */
export class Publisher {
  readonly #db: Kysely<Tables>;
  readonly #engine: Pick<Engine, 'publishEpoch'>;
  readonly #deadline = new Deadline(answerMsMax);

  constructor(db: Kysely<Tables>, engine: Pick<Engine, 'publishEpoch'>) {
    this.#db = db;
    this.#engine = engine;
  }

  /** Whether the store knows. A store that does not answer is told by a later sweep. */
  async publish(epochs: readonly TenantEpoch[]): Promise<boolean> {
    try {
      await this.#tell(epochs);
    } catch {
      return false;
    }
    // The store knows: whether we manage to note that down changes nothing for the caller.
    await this.#note(epochs).catch(() => {});
    return true;
  }

  /** Publishes what was left unpublished. Returns how many there were. */
  async sweep(): Promise<number> {
    const sharedEpoch = await readSharedEpoch(this.#db);
    const rows = await this.#db
      .selectFrom('tenant_epochs')
      .select(['tenant_id', 'epoch', 'generation'])
      .whereRef('published_epoch', '<', 'epoch')
      .orderBy('tenant_id')
      .limit(batchSize)
      .execute();
    const epochs = rows.map(({ tenant_id: tenantId, ...row }) => ({
      tenantId,
      ...row,
      sharedEpoch,
    }));
    await this.#tell(epochs);
    await this.#note(epochs);
    return epochs.length;
  }

  async #tell(epochs: readonly TenantEpoch[]): Promise<void> {
    for (let from = 0; from < epochs.length; from += atOnce) {
      const some = epochs.slice(from, from + atOnce);
      await Promise.all(
        some.map(({ epoch, sharedEpoch, ...tenant }) =>
          this.#deadline.run(
            this.#engine.publishEpoch(refOf(tenant), { tenant: epoch, shared: sharedEpoch }),
          ),
        ),
      );
    }
  }

  async #note(epochs: readonly TenantEpoch[]): Promise<void> {
    if (epochs.length === 0) return;
    const ids = epochs.map(({ tenantId }) => tenantId);
    const known = epochs.map(({ epoch }) => epoch);
    await sql`
      UPDATE tenant_epochs SET published_epoch = greatest(published_epoch, told.epoch)
      FROM unnest(${ids}::uuid[], ${known}::bigint[]) AS told (tenant_id, epoch)
      WHERE tenant_epochs.tenant_id = told.tenant_id`.execute(this.#db);
  }

  /**
   * Brings a shared change a step further: to the next batch of tenants. Returns whether there is
   * more to do. One node at a time works on it; where it dies another goes on.
   */
  async publishShared(): Promise<boolean> {
    return this.#db.transaction().execute(async (tx) => {
      const { rows } = await sql<Publication>`
        SELECT epoch, after_tenant_id FROM publications WHERE finished_at IS NULL
        ORDER BY epoch DESC LIMIT 1 FOR UPDATE SKIP LOCKED`.execute(tx);
      const publication = rows[0];
      if (!publication) return false;
      const tenants = await tx
        .selectFrom('tenant_epochs')
        .select(['tenant_id', 'epoch', 'generation'])
        .where('deleted', '=', false)
        .$if(publication.after_tenant_id !== null, (query) =>
          query.where('tenant_id', '>', publication.after_tenant_id),
        )
        .orderBy('tenant_id')
        .limit(batchSize)
        .execute();
      await this.#tell(
        tenants.map(({ tenant_id: tenantId, epoch, generation }) => ({
          tenantId,
          epoch,
          generation,
          sharedEpoch: publication.epoch,
        })),
      );
      const last = tenants.at(-1)?.tenant_id ?? publication.after_tenant_id;
      const finished = tenants.length < batchSize;
      await sql`
        UPDATE publications SET
          total = coalesce(total, (SELECT count(*) FROM tenant_epochs WHERE NOT deleted)),
          done = done + ${tenants.length}, after_tenant_id = ${last},
          finished_at = CASE WHEN ${finished} THEN now() END
        WHERE epoch = ${publication.epoch}`.execute(tx);
      // What is newer says all that the older would have said.
      if (finished) await finishUpTo(tx, publication.epoch);
      return !finished;
    });
  }
}

type Publication = { readonly epoch: number; readonly after_tenant_id: string | null };

async function finishUpTo(tx: Kysely<Tables>, epoch: number): Promise<void> {
  await sql`
    UPDATE publications SET finished_at = now() WHERE epoch < ${epoch} AND finished_at IS NULL
  `.execute(tx);
  await sql`
    UPDATE shared_epoch SET published_epoch = greatest(published_epoch, ${epoch})
  `.execute(tx);
}
