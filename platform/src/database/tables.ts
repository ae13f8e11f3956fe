import type { ColumnType, Generated } from 'kysely';

/** What the tables hold, as Kysely sees them. The migrations make them. */
export type Tables = {
  settings: SettingsTable;
  tenants: TenantsTable;
  plans: PlansTable;
  policies: PoliciesTable;
  api_keys: ApiKeysTable;
  admin_tokens: AdminTokensTable;
  audit_entries: AuditEntriesTable;
  tenant_epochs: TenantEpochsTable;
  shared_epoch: SharedEpochTable;
  publications: PublicationsTable;
  usage_counts: UsageCountsTable;
  ledger_positions: LedgerPositionsTable;
  ledger_sweep: LedgerSweepTable;
  overrides: OverridesTable;
  blocks: BlocksTable;
  modes: ModesTable;
  quotas: QuotasTable;
  quota_top_ups: QuotaTopUpsTable;
  quota_usage: QuotaUsageTable;
  quota_events: QuotaEventsTable;
  webhooks: WebhooksTable;
  webhook_deliveries: WebhookDeliveriesTable;
  receipts: ReceiptsTable;
  erasures: ErasuresTable;
  rollout_limits: RolloutLimitsTable;
  rollout_hours: RolloutHoursTable;
  rollout_subjects: RolloutSubjectsTable;
  rollout_batches: RolloutBatchesTable;
  rollout_erasures: RolloutErasuresTable;
  pools: PoolsTable;
  tenant_moves: TenantMovesTable;
};

/** Written as text or an object, read as an object. */
type Json<T> = ColumnType<T, string, string>;
type Created = ColumnType<Date, Date | undefined, never>;

/** Secrets that all nodes share, made once by whichever starts first. */
export type SettingsTable = { name: string; value: string };

export type TenantsTable = {
  id: string;
  name: string;
  tier: string;
  plan_id: string | null;
  status: 'active' | 'suspended';
  timezone: string;
  billing_anchor_day: number;
  pool: string | null;
  version: Generated<number>;
  created_at: Created;
  updated_at: Generated<Date>;
};

export type PlansTable = {
  id: string;
  /** Null: shared by all tenants. */
  tenant_id: string | null;
  name: string;
  /** As the API spells them. */
  limits: Json<readonly unknown[]>;
  version: Generated<number>;
  created_at: Created;
  updated_at: Generated<Date>;
};

export type PoliciesTable = {
  id: string;
  tenant_id: string | null;
  resource: string;
  cost: number | null;
  costs: Json<Readonly<Record<string, number>>>;
  max_cost: number | null;
  limits: Json<readonly unknown[]>;
  mode: string | null;
  version: Generated<number>;
  created_at: Created;
  updated_at: Generated<Date>;
};

export type ApiKeysTable = {
  /** The public part of the key. */
  id: string;
  tenant_id: string;
  name: string;
  salt: string;
  key_hash: string;
  scopes: string[];
  /** Not minted here: its id does not carry our mark. */
  imported: Generated<boolean>;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  version: Generated<number>;
  created_at: Created;
  updated_at: Generated<Date>;
};

export type AdminTokensTable = {
  id: string;
  name: string;
  role: 'owner' | 'operator' | 'viewer';
  /** Null: for the whole platform. */
  tenant_id: string | null;
  salt: string;
  token_hash: string;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  version: Generated<number>;
  created_at: Created;
  updated_at: Generated<Date>;
};

export type AuditEntriesTable = {
  id: string;
  at: Generated<Date>;
  actor: string;
  action:
    | 'create'
    | 'update'
    | 'delete'
    | 'rotate'
    | 'revoke'
    | 'notice'
    | 'reset'
    | 'unblock'
    | 'erase'
    | 'promote'
    | 'step_back';
  noun: string;
  object_id: string;
  tenant_id: string | null;
  request_id: string | null;
  before: ColumnType<unknown, string | null, never>;
  after: ColumnType<unknown, string | null, never>;
};

/** Outlives its tenant: other nodes must still hear that it is gone. */
export type TenantEpochsTable = {
  tenant_id: string;
  epoch: number;
  published_epoch: number;
  generation: Generated<number>;
  /** The pool in whose Redis this generation is counted; null: in the one that all share. */
  place: string | null;
  deleted: Generated<boolean>;
  /** The transaction that raised it: lets a reader ask for all that came after a point. */
  changed_in: ColumnType<string, never, never>;
  changed_at: Generated<Date>;
};

export type SharedEpochTable = {
  id: Generated<number>;
  epoch: number;
  published_epoch: number;
  changed_in: ColumnType<string, never, never>;
};

/** How far the news of a shared change has come. */
export type PublicationsTable = {
  epoch: number;
  cause: string;
  total: number | null;
  done: Generated<number>;
  after_tenant_id: string | null;
  started_at: Generated<Date>;
  finished_at: Date | null;
};

export type UsageCountsTable = {
  tenant_id: string;
  step: 'minute' | 'hour' | 'day';
  at: Date;
  resource: string;
  /** Empty for the call itself. */
  limit_name: string;
  outcome: 'allowed' | 'warned' | 'blocked' | 'degraded' | 'would_block';
  count: number;
};

/** The last batch of each tenant's ledger that was moved here: each is moved once. */
export type LedgerPositionsTable = {
  tenant_id: string;
  batch: number;
  /** Each has a ledger of its own. */
  generation: Generated<number>;
};

/** One row: when a node may look for ledgers that were left behind, and from which tenant on. */
export type LedgerSweepTable = { id: number; next_at: Date; after_tenant_id: string | null };

type Versioned = {
  version: Generated<number>;
  created_at: Created;
  updated_at: Generated<Date>;
};

export type OverridesTable = Versioned & {
  id: string;
  tenant_id: string;
  limit_name: string;
  /** Where more than one defines a limit of that name. */
  plan_id: string | null;
  policy_id: string | null;
  /** A pattern. */
  resource: string | null;
  subject: string | null;
  attributes: Json<Readonly<Record<string, string>>>;
  /** The fields of the limit that it replaces, as the API spells them. */
  numbers: Json<Readonly<Record<string, number>>>;
  starts_at: Date | null;
  expires_at: Date | null;
  reason: string;
  author: string;
};

/** One of `subject`, `ip`, `attribute` and `key_id` says who. */
export type BlocksTable = Versioned & {
  id: string;
  /** Null: of every tenant. */
  tenant_id: string | null;
  subject: string | null;
  /** A range of addresses, as CIDR. */
  ip: string | null;
  attribute: ColumnType<
    { readonly name: string; readonly value: string } | null,
    string | null,
    string | null
  >;
  key_id: string | null;
  action: 'block' | 'bypass';
  expires_at: Date | null;
  reason: string;
  author: string;
};

export type ModesTable = Versioned & {
  id: string;
  scope: 'platform' | 'tenant' | 'resource' | 'policy' | 'limit';
  tenant_id: string | null;
  resource: string | null;
  policy_id: string | null;
  limit_name: string | null;
  mode: string;
  enforce_from: Date | null;
  /** Meant for security limits too. */
  confirm: Generated<boolean>;
};

export type QuotasTable = Versioned & {
  tenant_id: string;
  name: string;
  period: string;
  unit: string;
  /** Of the organisation. */
  allowance: number;
  mode: string | null;
  overcommit: boolean;
  teams: Json<QuotaTeams>;
};

export type QuotaTeams = Readonly<
  Record<
    string,
    {
      readonly limit: number;
      readonly users?: Readonly<Record<string, { readonly limit: number }>>;
    }
  >
>;

export type QuotaTopUpsTable = {
  id: string;
  tenant_id: string;
  amount: number;
  reason: string;
  author: string;
  ends_at: Date;
  created_at: Created;
};

/** The most that was seen used of a quota's period, should the store lose it. */
export type QuotaUsageTable = {
  tenant_id: string;
  generation: number;
  /** As the engine calls it: it tells nobody whom it counts. */
  counter: string;
  starts_at_us: number;
  ends_at_us: number;
  used: number;
};

/** Each threshold is passed once in a period, whoever sees it first. */
export type QuotaEventsTable = {
  id: string;
  tenant_id: string;
  quota: string;
  level: string;
  entity: string;
  starts_at_us: number;
  threshold: number;
  at: Generated<Date>;
};

export type WebhooksTable = Versioned & {
  id: string;
  /** Null: of every tenant. */
  tenant_id: string | null;
  url: string;
  events: string[];
  /** Raised by rotation: the secret is derived from it. */
  secret_number: Generated<number>;
};

export type WebhookDeliveriesTable = {
  id: string;
  webhook_id: string;
  event: string;
  payload: Json<unknown>;
  attempts: Generated<number>;
  next_at: Generated<Date>;
  delivered_at: Date | null;
  failed_at: Date | null;
  last_problem: string | null;
  created_at: Created;
};

/** What became of one check, for a while. */
export type ReceiptsTable = {
  decision_id: string;
  tenant_id: string;
  at: Date;
  outcome: string;
  /** As in logs. */
  subject_hash: string;
  /** Those that refused, or would have. */
  limit_names: string[];
  /** As the API spells it. */
  body: Json<unknown>;
};

/** Up to when a subject is forgotten: what is written late, of before, is not kept either. */
export type ErasuresTable = { tenant_id: string; subject_hash: string; at: Date };

/** A limit of a tenant that is or was in shadow or warn; what it was when it was last seen there. */
export type RolloutLimitsTable = {
  id: Generated<number>;
  tenant_id: string;
  limit_name: string;
  /** `plan`, `policy` with its pattern, or `quota`: whose counter it is. */
  defined_by: string;
  algorithm: string;
  size: number;
};

export type RolloutHoursTable = {
  limit_id: number;
  stage: 'shadow' | 'warn';
  hour: Date;
  calls: number;
  would_refuse: number;
  /** Subjects are followed whose point is below; all of them below 2^32. */
  below: number;
};

export type RolloutSubjectsTable = {
  limit_id: number;
  stage: 'shadow' | 'warn';
  hour: Date;
  subject: string;
  /** Where the subject lies between 0 and 2^32, the same on every node. */
  point: number;
  calls: number;
  would_refuse: number;
  /** The greatest demand that a node saw a call of it meet. */
  peak: number;
  /** What was refused and would still count, at its most: of all nodes together, and of one. */
  extra: number;
  extra_most: number;
};

/** The last batch that each node wrote: each is written once. */
export type RolloutBatchesTable = { node: string; batch: number; written_at: Generated<Date> };

/** Who was erased lately: what another node still had in memory is not written. */
export type RolloutErasuresTable = { tenant_id: string; subject_hash: string; at: Generated<Date> };

/** By whose connections tenants are counted, and in which Redis. */
export type PoolsTable = Versioned & {
  id: string;
  name: string;
  /** Sealed, for it has a password in it. Null: the Redis that all share. */
  redis_url: string | null;
  connections: number;
  /** Null: as many as connections. */
  max_in_flight: number | null;
  /** Whose tenants are in it unless they say otherwise. */
  tiers: string[];
};

/** Where a tenant was counted before, until all that is left there is brought along. */
export type TenantMovesTable = {
  tenant_id: string;
  /** The one that it was counted in there. */
  generation: number;
  place: string | null;
  moved_at: Generated<Date>;
  /** When its quotas went on where it is counted now. */
  carried_at: Date | null;
  looked_at: Generated<Date>;
};
