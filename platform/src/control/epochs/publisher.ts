import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { Deadline } from 'sluice';
import type { Engine } from 'sluice/core';
import type { Tables } from '../../database/tables.ts';
import { isArriving, readSharedEpoch, refOf, type TenantEpoch } from './epochs.ts';

const batchSize = 500;
const atOnce = 50;
/** A store that says nothing must not keep a change from being answered. */
const answerMsMax = 2000;

/**
 * Tells the store which configuration is current. Right after a change; and again by `sweep`, for a
 * writer may die between its commit and its word.
 *
 * Where a tenant is counted from now on is told nothing until its quotas are there: a store that
 * knows an epoch asks for no quotas.
 */
export class Publisher {
  readonly #db: Kysely<Tables>;
  readonly #engine: Pick<Engine, 'publishEpoch'>;
  readonly #deadline = new Deadline(answerMsMax);
  #sweptTo: string | null = null;

  constructor(db: Kysely<Tables>, engine: Pick<Engine, 'publishEpoch'>) {
    this.#db = db;
    this.#engine = engine;
  }

  /** Whether the store knows. A store that does not answer is told by a later sweep. */
  async publish(epochs: readonly TenantEpoch[]): Promise<boolean> {
    const { told } = await this.#tell(epochs.filter(({ arriving }) => !arriving));
    // The store knows: whether we manage to note that down changes nothing for the caller.
    await this.#note(told).catch(() => {});
    return told.length === epochs.length;
  }

  /** Publishes what was left unpublished, a page at a time. Returns how many were on the page. */
  async sweep(): Promise<number> {
    const sharedEpoch = await readSharedEpoch(this.#db);
    const after = this.#sweptTo;
    const rows = await this.#db
      .selectFrom('tenant_epochs')
      .select(['tenant_id', 'epoch', 'generation', 'place'])
      .whereRef('published_epoch', '<', 'epoch')
      .where(sql<boolean>`NOT ${isArriving}`)
      .$if(after !== null, (query) => query.where('tenant_id', '>', after))
      .orderBy('tenant_id')
      .limit(batchSize)
      .execute();
    // Those whose Redis is away are no reason for others to wait.
    this.#sweptTo = rows.length === batchSize ? (rows.at(-1)?.tenant_id ?? null) : null;
    const { told, failure } = await this.#tell(
      rows.map(({ tenant_id: tenantId, ...row }) => ({
        tenantId,
        ...row,
        arriving: false,
        sharedEpoch,
      })),
    );
    await this.#note(told);
    if (failure) throw failure.reason;
    return rows.length;
  }

  /** All that can be told, whoever can't. */
  async #tell(epochs: readonly TenantEpoch[]): Promise<Told> {
    const told: TenantEpoch[] = [];
    let failure: Told['failure'] = null;
    for (let from = 0; from < epochs.length; from += atOnce) {
      const some = epochs.slice(from, from + atOnce);
      const results = await Promise.allSettled(some.map((epoch) => this.#tellOne(epoch)));
      for (const [at, result] of results.entries()) {
        const epoch = some[at] as TenantEpoch;
        if (result.status === 'fulfilled') told.push(epoch);
        // The worst is that the Redis of all is away.
        else if (!failure || epoch.place === null) failure = { reason: result.reason, epoch };
      }
      if (failure?.epoch.place === null) break;
    }
    return { told, failure };
  }

  #tellOne(epoch: TenantEpoch): Promise<void> {
    const { epoch: tenant, sharedEpoch: shared } = epoch;
    return this.#deadline.run(this.#engine.publishEpoch(refOf(epoch), { tenant, shared }));
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
        .select(['tenant_id', 'epoch', 'generation', 'place', isArriving.as('arriving')])
        .where('deleted', '=', false)
        .$if(publication.after_tenant_id !== null, (query) =>
          query.where('tenant_id', '>', publication.after_tenant_id),
        )
        .orderBy('tenant_id')
        .limit(batchSize)
        .execute();
      await this.#tellShared(
        tenants.map(({ tenant_id: tenantId, ...row }) => ({
          tenantId,
          ...row,
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

  /**
   * A tenant's own Redis that is away must not keep the news from all others: its nodes hear them
   * from the database within a second.
   */
  async #tellShared(epochs: readonly TenantEpoch[]): Promise<void> {
    const { failure } = await this.#tell(epochs.filter(({ arriving }) => !arriving));
    if (failure?.epoch.place === null) throw failure.reason;
  }
}

type Told = {
  readonly told: readonly TenantEpoch[];
  /** Of one that could not be told, of the Redis of all where that is the one. */
  readonly failure: { readonly reason: unknown; readonly epoch: TenantEpoch } | null;
};

type Publication = { readonly epoch: number; readonly after_tenant_id: string | null };

async function finishUpTo(tx: Kysely<Tables>, epoch: number): Promise<void> {
  await sql`
    UPDATE publications SET finished_at = now() WHERE epoch < ${epoch} AND finished_at IS NULL
  `.execute(tx);
  await sql`
    UPDATE shared_epoch SET published_epoch = greatest(published_epoch, ${epoch})
  `.execute(tx);
}
