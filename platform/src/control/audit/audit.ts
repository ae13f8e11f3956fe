import type { Kysely, Selectable } from 'kysely';
import type { AuditEntriesTable, Tables } from '../../database/tables.ts';
import type { Actor } from '../actor.ts';
import { type Page, type PageQuery, readPage } from '../page.ts';
import { found, isoOf, isUuid, parseInstant, parseTenantId, requireUuid } from '../rows.ts';

export const auditActions = [
  'create',
  'update',
  'delete',
  'rotate',
  'revoke',
  'notice',
  'reset',
  'unblock',
  'erase',
  'promote',
  'step_back',
] as const;
export const auditNouns = [
  'tenants',
  'plans',
  'policies',
  'overrides',
  'blocks',
  'modes',
  'keys',
  'tokens',
  'quotas',
  'webhooks',
  'counters',
  'decisions',
  'rollout',
  'pools',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** Who did what: written with the change itself, never changed, and without secrets. */
export type AuditEntry = {
  readonly id: string;
  readonly at: string;
  /** The id of the token, `bootstrap`, or `system` where nobody asked. */
  readonly actor: string;
  readonly action: (typeof auditActions)[number];
  readonly noun: string;
  readonly object_id: string;
  readonly tenant_id: string | null;
  readonly request_id: string | null;
  readonly before: unknown;
  readonly after: unknown;
};

export type AuditQuery = PageQuery & {
  readonly tenant_id?: string;
  readonly noun?: string;
  readonly object_id?: string;
  readonly actor?: string;
  /** At or after. */
  readonly from?: string;
  /** Before. */
  readonly to?: string;
};

export class Audit {
  readonly #db: Kysely<Tables>;

  constructor({ db }: { readonly db: Kysely<Tables> }) {
    this.#db = db;
  }

  /** The newest first. */
  async list(actor: Actor, filters: AuditQuery): Promise<Page<AuditEntry>> {
    const {
      tenant_id: tenantId,
      noun,
      object_id: objectId,
      actor: by,
      from,
      to,
      ...page
    } = filters;
    let query = this.#seenBy(actor);
    if (tenantId !== undefined) query = query.where('tenant_id', '=', parseTenantId(tenantId));
    if (noun !== undefined) query = query.where('noun', '=', noun);
    if (objectId !== undefined) query = query.where('object_id', '=', objectId);
    if (by !== undefined) query = query.where('actor', '=', by);
    if (from !== undefined) query = query.where('at', '>=', parseInstant('from', from));
    if (to !== undefined) query = query.where('at', '<', parseInstant('to', to));
    return readPage(query, {
      list: 'audit',
      page,
      by: 'id',
      order: 'desc',
      isKey: isUuid,
      toItem: entryOf,
    });
  }

  async get(actor: Actor, id: string): Promise<AuditEntry> {
    const row = await this.#seenBy(actor)
      .where('id', '=', requireUuid('audit entry', id))
      .executeTakeFirst();
    return entryOf(found('audit entry', row));
  }

  #seenBy({ tenantId }: Actor) {
    const query = this.#db.selectFrom('audit_entries').selectAll();
    return tenantId === null ? query : query.where('tenant_id', '=', tenantId);
  }
}

export function entryOf(row: Selectable<AuditEntriesTable>): AuditEntry {
  return {
    id: row.id,
    at: isoOf(row.at),
    actor: row.actor,
    action: row.action,
    noun: row.noun,
    object_id: row.object_id,
    tenant_id: row.tenant_id,
    request_id: row.request_id,
    before: row.before,
    after: row.after,
  };
}
