import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Tables } from '../../database/index.ts';
import { layers, type Layer, type Standing } from './standing.ts';

/** A change that the audit knows of. */
export type NotedChange = {
  readonly audit_id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly noun: string;
  readonly object_id: string;
};

/** When a limit came into its stage. */
export type Entered = { readonly at: Date; readonly auditId: string | null };

const changesMax = 100;
const turnsMax = 50;

/** What the audit says of a limit: when it got its mode, and what changed since. */
export class History {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /**
   * The last change of a mode that counts for the limit: where its mode is said, or above. A limit
   * that was defined later is in its stage since then. Null when the audit knows of none.
   */
  async entered(tenantId: string, standing: Standing, now: Date): Promise<Entered | null> {
    const { rows } = await sql<Turn>`
      SELECT id, at, layer, after ->> 'enforce_from' AS enforce_from FROM (
        SELECT *, ${layerOf(standing)} AS layer FROM audit_entries
        WHERE ${isSeenBy(tenantId)} AND ${isAbout(tenantId, standing)}
      ) AS turns WHERE layer IS NOT NULL ORDER BY id DESC LIMIT ${turnsMax}`.execute(this.#db);
    const least = rankOf(standing.layer);
    const found = rows.find(({ layer }) => layer === 'defined' || rankOf(layer) <= least);
    if (!found) return null;
    const from = found.enforce_from === null ? null : new Date(found.enforce_from);
    const isByDate = standing.mode === 'enforce' && from !== null && from > found.at && from <= now;
    return { at: isByDate ? from : found.at, auditId: found.id };
  }

  /** Of the limit, its numbers, its overrides and who is under it, the newest first. */
  async since(
    tenantId: string,
    standing: Standing,
    { at, auditId }: Entered,
    { own }: { readonly own: boolean },
  ): Promise<readonly NotedChange[]> {
    const after = auditId === null ? sql<boolean>`at > ${at}` : sql<boolean>`id > ${auditId}::uuid`;
    const seen = own ? sql<boolean>`tenant_id = ${tenantId}` : isSeenBy(tenantId);
    const { rows } = await sql<Omit<NotedChange, 'at'> & { at: Date }>`
      SELECT id AS audit_id, at, actor, action, noun, object_id FROM audit_entries
      WHERE ${after} AND ${seen} AND (${isAbout(tenantId, standing)}
        AND (noun NOT IN ('plans', 'policies') OR ${limitIn('before', standing)}
          IS DISTINCT FROM ${limitIn('after', standing)} OR before ->> 'mode' IS DISTINCT FROM after ->> 'mode')
        OR noun = 'overrides' AND coalesce(after, before) ->> 'limit' = ${standing.name}
        OR noun = 'tenants' AND object_id = ${tenantId}
          AND before ->> 'plan_id' IS DISTINCT FROM after ->> 'plan_id')
      ORDER BY id DESC LIMIT ${changesMax}`.execute(this.#db);
    return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
  }
}

type Turn = {
  readonly id: string;
  readonly at: Date;
  readonly layer: Layer | 'defined';
  readonly enforce_from: string | null;
};

function rankOf(layer: Layer | 'defined' | null): number {
  return layer === null ? layers.length : layers.indexOf(layer as Layer);
}

function isSeenBy(tenantId: string): RawBuilder<boolean> {
  return sql<boolean>`(tenant_id = ${tenantId} OR tenant_id IS NULL)`;
}

/** Entries for the mode of this limit, and changes of who defines it. */
function isAbout(tenantId: string, { name, definerId }: Standing): RawBuilder<boolean> {
  const said = (field: string) => sql`coalesce(after, before) ->> ${sql.lit(field)}`;
  const ofDefiner = sql`(${said('policy_id')} IS NULL OR ${said('policy_id')} = ${definerId}::text)`;
  return sql<boolean>`(noun = 'modes' AND ${ofDefiner}
      AND (${said('limit')} IS NULL OR ${said('limit')} = ${name})
    OR noun IN ('plans', 'policies') AND object_id = ${definerId}::text
    OR noun = 'quotas' AND ${definerId}::text IS NULL AND object_id = ${tenantId})`;
}

/** Where the change said another mode than before; null where it did not. */
function layerOf(standing: Standing): RawBuilder<Layer | 'defined' | null> {
  const [before, after] = [limitIn('before', standing), limitIn('after', standing)];
  const isOther = sql`before ->> 'mode' IS DISTINCT FROM after ->> 'mode'`;
  return sql`CASE
    WHEN noun = 'modes' THEN CASE WHEN ${isOther} THEN coalesce(after, before) ->> 'scope' END
    WHEN noun = 'quotas' THEN CASE WHEN before IS NULL THEN 'defined' WHEN ${isOther} THEN 'own' END
    WHEN ${before} IS NULL AND ${after} IS NOT NULL THEN 'defined'
    WHEN ${before} ->> 'mode' IS DISTINCT FROM ${after} ->> 'mode' THEN 'own'
    WHEN noun = 'policies' AND ${isOther} THEN 'policy_own' END`;
}

function limitIn(column: 'before' | 'after', { name }: Standing): RawBuilder<unknown> {
  const named = JSON.stringify({ name });
  return sql`jsonb_path_query_first(${sql.ref(column)}, '$.limits[*] ? (@.name == $name)', ${named}::jsonb)`;
}
