import { sql, type Kysely } from 'kysely';
import type { Tables } from '../database/tables.ts';
import { Gather } from './gather.ts';
import type {
  BlockSource,
  KeySource,
  ModeSource,
  OverrideSource,
  PlanSource,
  PolicySource,
  QuotaSource,
  SharedSource,
  TenantSource,
} from './source.ts';

/** Reads sources from the database. One statement each, so that each is of one moment. */
export class SourceReader {
  readonly #db: Kysely<Tables>;
  readonly #tenants = new Gather<TenantSource>((ids) => this.#readTenants(ids));
  readonly #keys = new Gather<KeySource>((ids) => this.#readKeys(ids));

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  tenant(id: string): Promise<TenantSource | null> {
    return this.#tenants.of(id);
  }

  key(id: string): Promise<KeySource | null> {
    return this.#keys.of(id);
  }

  async #readTenants(ids: readonly string[]): Promise<ReadonlyMap<string, TenantSource>> {
    const { rows } = await sql<TenantRow>`
      SELECT t.id, t.name, t.tier, t.status, t.timezone, t.billing_anchor_day, t.plan_id,
        t.pool, e.place, e.generation, e.epoch, (SELECT epoch FROM shared_epoch) AS shared_epoch,
        ${plansOf(sql`p.tenant_id = t.id`)} AS plans, ${policiesOf(sql`p.tenant_id = t.id`)} AS policies,
        ${overridesOf} AS overrides, ${blocksOf(sql`b.tenant_id = t.id`)} AS blocks,
        ${modesOf(sql`m.tenant_id = t.id`)} AS modes, ${quotaOf} AS quota, ${refundsOf} AS refunds
      FROM tenants t JOIN tenant_epochs e ON e.tenant_id = t.id
      WHERE t.id = ANY (${ids}::uuid[])`.execute(this.#db);
    return new Map(rows.map((row) => [row.id, tenantOf(row)]));
  }

  async shared(): Promise<SharedSource> {
    const { rows } = await sql<SharedSource>`
      SELECT epoch, ${plansOf(sql`p.tenant_id IS NULL`)} AS plans,
        ${policiesOf(sql`p.tenant_id IS NULL`)} AS policies,
        ${blocksOf(sql`b.tenant_id IS NULL`)} AS blocks,
        ${modesOf(sql`m.tenant_id IS NULL`)} AS modes, ${poolsOf} AS pools
      FROM shared_epoch`.execute(this.#db);
    return rows[0] as SharedSource;
  }

  async #readKeys(ids: readonly string[]): Promise<ReadonlyMap<string, KeySource>> {
    const rows = await this.#db
      .selectFrom('api_keys')
      .innerJoin('tenant_epochs', 'tenant_epochs.tenant_id', 'api_keys.tenant_id')
      .select(['id', 'api_keys.tenant_id', 'epoch', 'salt', 'key_hash', 'scopes'])
      .select(['expires_at', 'revoked_at'])
      .where('id', '=', sql<string>`ANY (${ids}::text[])`)
      .execute();
    const keyOf = (row: (typeof rows)[number]): KeySource => ({
      id: row.id,
      tenantId: row.tenant_id,
      epoch: row.epoch,
      salt: row.salt,
      hash: row.key_hash,
      scopes: row.scopes,
      expiresAtMs: row.expires_at?.getTime() ?? null,
      revoked: row.revoked_at !== null,
    });
    return new Map(rows.map((row) => [row.id, keyOf(row)]));
  }

  /** The ids of keys that were made elsewhere and so do not carry our mark: few, if any. */
  async importedKeyIds(): Promise<ReadonlySet<string>> {
    const rows = await this.#db
      .selectFrom('api_keys')
      .select('id')
      .where('imported', '=', true)
      .execute();
    return new Set(rows.map(({ id }) => id));
  }
}

type TenantRow = {
  readonly id: string;
  readonly name: string;
  readonly tier: string;
  readonly status: 'active' | 'suspended';
  readonly timezone: string;
  readonly billing_anchor_day: number;
  readonly plan_id: string | null;
  readonly generation: number;
  readonly pool: string | null;
  readonly place: string | null;
  readonly epoch: number;
  readonly shared_epoch: number;
  readonly plans: PlanSource[];
  readonly policies: PolicySource[];
  readonly overrides: OverrideSource[];
  readonly blocks: BlockSource[];
  readonly modes: ModeSource[];
  readonly quota: QuotaSource | null;
  readonly refunds: boolean;
};

function tenantOf(row: TenantRow): TenantSource {
  return {
    id: row.id,
    name: row.name,
    tier: row.tier,
    status: row.status,
    timezone: row.timezone,
    billingAnchorDay: row.billing_anchor_day,
    planId: row.plan_id,
    generation: row.generation,
    pool: row.pool,
    place: row.place,
    epoch: { tenant: row.epoch, shared: row.shared_epoch },
    plans: row.plans,
    policies: row.policies,
    overrides: row.overrides,
    blocks: row.blocks,
    modes: row.modes,
    quota: row.quota,
    refunds: row.refunds,
  };
}

const plansOf = (whose: ReturnType<typeof sql>) => sql`(
  SELECT coalesce(json_agg(json_build_object(
    'id', p.id, 'name', p.name, 'version', p.version, 'limits', p.limits)), '[]')
  FROM plans p WHERE ${whose})`;

const policiesOf = (whose: ReturnType<typeof sql>) => sql`(
  SELECT coalesce(json_agg(json_build_object(
    'id', p.id, 'version', p.version, 'resource', p.resource, 'cost', p.cost, 'costs', p.costs,
    'max_cost', p.max_cost, 'limits', p.limits, 'mode', p.mode)), '[]')
  FROM policies p WHERE ${whose})`;

/** Dates travel as JSON: they are numbers all along. */
const ms = (column: ReturnType<typeof sql>) => sql`(extract(epoch FROM ${column}) * 1000)::bigint`;

/** A little longer than they last: the store's clock says when they are over, not this one. */
const isRecent = (column: ReturnType<typeof sql>) =>
  sql`(${column} IS NULL OR ${column} > now() - interval '1 minute')`;

const overridesOf = sql`(
  SELECT coalesce(json_agg(json_build_object(
    'id', o.id, 'limit_name', o.limit_name, 'plan_id', o.plan_id, 'policy_id', o.policy_id,
    'resource', o.resource, 'subject', o.subject, 'attributes', o.attributes,
    'numbers', o.numbers, 'startsAtMs', ${ms(sql`o.starts_at`)},
    'expiresAtMs', ${ms(sql`o.expires_at`)}, 'createdAtMs', ${ms(sql`o.created_at`)})), '[]')
  FROM overrides o WHERE o.tenant_id = t.id AND ${isRecent(sql`o.expires_at`)})`;

const blocksOf = (whose: ReturnType<typeof sql>) => sql`(
  SELECT coalesce(json_agg(json_build_object(
    'id', b.id, 'subject', b.subject, 'ip', b.ip, 'attribute', b.attribute, 'key_id', b.key_id,
    'action', b.action, 'expiresAtMs', ${ms(sql`b.expires_at`)})), '[]')
  FROM blocks b WHERE ${whose} AND ${isRecent(sql`b.expires_at`)})`;

const modesOf = (whose: ReturnType<typeof sql>) => sql`(
  SELECT coalesce(json_agg(json_build_object(
    'scope', m.scope, 'resource', m.resource, 'policy_id', m.policy_id,
    'limit_name', m.limit_name, 'mode', m.mode, 'confirm', m.confirm,
    'enforceFromMs', ${ms(sql`m.enforce_from`)})), '[]')
  FROM modes m WHERE ${whose})`;

const poolsOf = sql`(
  SELECT coalesce(json_agg(json_build_object('name', p.name, 'tiers', p.tiers)), '[]')
  FROM pools p)`;

const refundsOf = sql`EXISTS (
  SELECT FROM api_keys k
  WHERE k.tenant_id = t.id AND k.revoked_at IS NULL AND 'refund' = ANY (k.scopes))`;

const quotaOf = sql`(
  SELECT json_build_object(
    'name', q.name, 'period', q.period, 'unit', q.unit, 'allowance', q.allowance,
    'mode', q.mode, 'teams', q.teams, 'topUps', (
      SELECT coalesce(json_agg(json_build_object(
        'amount', u.amount, 'endsAtMs', ${ms(sql`u.ends_at`)})), '[]')
      FROM quota_top_ups u WHERE u.tenant_id = q.tenant_id AND ${isRecent(sql`u.ends_at`)}))
  FROM quotas q WHERE q.tenant_id = t.id)`;
