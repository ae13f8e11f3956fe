import { sql } from 'kysely';
import type { Actor } from '../control/actor.ts';
import { requireReach } from '../control/authorize.ts';
import type { Changes } from '../control/change.ts';
import { requireTenant, requireUuid } from '../control/rows.ts';
import type { SubjectHash } from '../observe/index.ts';

/** Something that keeps subjects by name, and can forget one. Says of how many rows. */
export type Eraser = {
  readonly name: string;
  erase(tenantId: string, subject: string): Promise<number>;
};

export type ErasureInput = { readonly tenant_id: string; readonly subject: string };

export type Erased = {
  readonly subject_hash: string;
  /** By what kept it. */
  readonly erased: Readonly<Record<string, number>>;
};

/** Forgets a subject of a tenant, wherever its name is kept as evidence. */
export class Erasure {
  readonly #changes: Changes;
  readonly #erasers: readonly Eraser[];
  readonly #subjectHash: SubjectHash;

  constructor(parts: {
    readonly changes: Changes;
    readonly erasers: readonly Eraser[];
    readonly subjectHash: SubjectHash;
  }) {
    this.#changes = parts.changes;
    this.#erasers = parts.erasers;
    this.#subjectHash = parts.subjectHash;
  }

  /**
   * First it is noted up to when the subject is forgotten, with the audit: what other nodes have yet
   * to write of it is refused by that, and what this one does not get done is done later.
   */
  async erase(actor: Actor, { tenant_id: tenantId, subject }: ErasureInput): Promise<Erased> {
    requireReach(actor, 'tenant', requireUuid('tenant', tenantId));
    const hash = this.#subjectHash(tenantId, subject);
    await this.#changes.make(actor, async (change) => {
      await requireTenant(change.tx, tenantId);
      await sql`
        INSERT INTO erasures (tenant_id, subject_hash, at)
        VALUES (${tenantId}, ${hash}, greatest(now(), ${new Date().toISOString()}::timestamptz))
        ON CONFLICT (tenant_id, subject_hash) DO UPDATE SET at = excluded.at`.execute(change.tx);
      const after = { subject };
      await change.note({
        action: 'erase',
        noun: 'decisions',
        objectId: tenantId,
        tenantId,
        after,
      });
    });
    const erased: Record<string, number> = {};
    for (const eraser of this.#erasers) {
      erased[eraser.name] = await eraser.erase(tenantId, subject);
    }
    return { subject_hash: hash, erased };
  }
}
