import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { InvalidInput } from 'sluice';
import { uuidv7 } from 'uuidv7';
import type { ModesTable, Tables } from '../../database/tables.ts';
import type { Actor } from '../actor.ts';
import { requirePlatform } from '../authorize.ts';
import type { AuditNote, Changed, Changes } from '../change.ts';
import { isQuota, surveyLimit } from '../definitions.ts';
import { Conflict, NotFound } from '../errors.ts';
import { keepReachable, removeOwned, requireRoom, touchOwner, whereOwner } from '../owned.ts';
import { type Page, type PageQuery, readPage } from '../page.ts';
import { found, isUuid, nextVersion, requireUuid, requireVersion } from '../rows.ts';
import {
  type ModeEntry,
  type ModeInput,
  modeOf,
  type ModeScope,
  type ModeTarget,
  type ModeValues,
  parseTarget,
  parseValues,
  requireConfirmed,
} from './mode.ts';

export type ModeQuery = PageQuery & { readonly scope?: ModeScope; readonly tenant_id?: string };

const roomFor = { tenant: 1000, shared: 1000 } as const;

const collection = { table: 'modes', noun: 'mode', toObject: modeOf } as const;

/** How strictly limits are meant: of all, of a tenant, a resource, a policy or one limit. */
export class Modes {
  readonly #db: Kysely<Tables>;
  readonly #changes: Changes;

  constructor({ db, changes }: { readonly db: Kysely<Tables>; readonly changes: Changes }) {
    this.#db = db;
    this.#changes = changes;
  }

  async list(
    actor: Actor,
    { scope, tenant_id: owner, ...page }: ModeQuery,
  ): Promise<Page<ModeEntry>> {
    let query = this.#seenBy(actor);
    if (scope !== undefined) query = query.where('scope', '=', scope);
    if (owner !== undefined) query = query.where(whereOwner(owner));
    const nowMs = Date.now();
    return readPage(query, {
      list: 'modes',
      page,
      by: 'id',
      isKey: isUuid,
      toItem: (row) => modeOf(row, nowMs),
    });
  }

  async get(actor: Actor, id: string): Promise<ModeEntry> {
    const row = await this.#seenBy(actor)
      .where('id', '=', requireUuid('mode', id))
      .executeTakeFirst();
    return modeOf(found('mode', row));
  }

  /** All of them to the platform; to a tenant its own, and the shared ones, which it is under. */
  #seenBy({ tenantId }: Actor) {
    const query = this.#db.selectFrom('modes').selectAll();
    if (tenantId === null) return query;
    return query.where(sql<boolean>`(tenant_id = ${tenantId} OR tenant_id IS NULL)`);
  }

  /** There is one entry for each target: it is made, or what it says is replaced. */
  async set(
    actor: Actor,
    input: ModeInput,
    expectedVersion: number | null,
    /** What else the audit is to say of it. */
    noteOf: (after: ModeEntry) => readonly AuditNote[] = () => [],
  ): Promise<Changed<ModeEntry>> {
    requirePlatform(actor, 'set modes');
    const values = parseValues(input);
    const target = await this.#owned(parseTarget(input));
    const { tenant_id: tenantId } = target;
    return this.#changes.make(actor, async (change) => {
      await touchOwner(change, tenantId, `set mode of ${target.scope}`);
      await requireTarget(change.tx, target, values);
      const row = await lockEntry(change.tx, target);
      if (row) requireVersion('mode', row, expectedVersion);
      else await requireNew(change.tx, tenantId, expectedVersion);
      const after = modeOf(
        row ? await rewrite(change.tx, row.id, values) : await insert(change.tx, target, values),
      );
      const note: AuditNote = row
        ? { ...subject(after), action: 'update', before: modeOf(row), after }
        : { ...subject(after), action: 'create', after };
      await change.noteAll([note, ...noteOf(after)]);
      return after;
    });
  }

  /** What is for a tenant's policy is the tenant's. */
  async #owned(target: ModeTarget): Promise<ModeTarget> {
    const { policy_id: policyId, tenant_id: tenantId } = target;
    if (policyId === null) return target;
    const row = await this.#db
      .selectFrom('policies')
      .select('tenant_id')
      .where('id', '=', requireUuid('policy', policyId))
      .executeTakeFirst();
    const { tenant_id: owner } = found('policy', row);
    if (owner !== null && tenantId !== null && owner !== tenantId) throw new NotFound('policy');
    return { ...target, tenant_id: owner ?? tenantId };
  }

  async remove(
    actor: Actor,
    id: string,
    expectedVersion: number | null,
  ): Promise<Changed<undefined>> {
    requirePlatform(actor, 'delete modes');
    const { tenant_id: tenantId } = await this.get(actor, id);
    return removeOwned(this.#changes, actor, collection, {
      id,
      tenantId,
      expectedVersion,
    });
  }
}

type Row = Selectable<ModesTable>;

/** The policy stays until it is written; a limit is somebody's, and is not disarmed by a slip. */
async function requireTarget(
  tx: Transaction<Tables>,
  { tenant_id: tenantId, policy_id: policyId, limit }: ModeTarget,
  values: ModeValues,
): Promise<void> {
  if (policyId !== null) {
    await keepReachable(tx, { table: 'policies', noun: 'policy', id: policyId, tenantId });
  }
  if (limit === null) return;
  const { defined, security } = await surveyLimit(tx, { tenantId, policyId, limit });
  if (security) requireConfirmed(values, limit);
  if (defined || (policyId === null && (await isQuota(tx, { tenantId, limit })))) return;
  throw new InvalidInput('limit', 'is no limit of anything in this scope');
}

/** After the touch, which keeps others from making the same entry meanwhile. */
async function lockEntry(tx: Transaction<Tables>, target: ModeTarget): Promise<Row | null> {
  const { rows } = await sql<Row>`
    SELECT * FROM modes WHERE scope = ${target.scope}
      AND tenant_id IS NOT DISTINCT FROM ${target.tenant_id}
      AND resource IS NOT DISTINCT FROM ${target.resource}
      AND policy_id IS NOT DISTINCT FROM ${target.policy_id}
      AND limit_name IS NOT DISTINCT FROM ${target.limit}
    FOR UPDATE`.execute(tx);
  return rows[0] ?? null;
}

async function requireNew(
  tx: Transaction<Tables>,
  tenantId: string | null,
  expectedVersion: number | null,
): Promise<void> {
  if (expectedVersion !== null) {
    throw new Conflict('there is no such entry yet; leave the version out to make it');
  }
  await requireRoom(tx, { table: 'modes', tenantId, ...roomFor });
}

function insert(
  tx: Transaction<Tables>,
  { limit, ...target }: ModeTarget,
  values: ModeValues,
): Promise<Row> {
  return tx
    .insertInto('modes')
    .values({ id: uuidv7(), ...target, limit_name: limit, ...values })
    .returningAll()
    .executeTakeFirstOrThrow();
}

function rewrite(tx: Transaction<Tables>, id: string, values: ModeValues): Promise<Row> {
  return tx
    .updateTable('modes')
    .set({ ...values, ...nextVersion })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

function subject({ id, tenant_id: tenantId }: ModeEntry) {
  return { noun: 'modes', objectId: id, tenantId } as const;
}
