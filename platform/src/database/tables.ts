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
  usage_minutes: UsageMinutesTable;
  ledger_positions: LedgerPositionsTable;
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
  action: 'create' | 'update' | 'delete' | 'rotate' | 'revoke';
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

export type UsageMinutesTable = {
  tenant_id: string;
  minute: Date;
  resource: string;
  limit_name: string;
  outcome: 'allowed' | 'warned' | 'blocked';
  count: number;
};

/** The last batch of each tenant's ledger that was moved here: each is moved once. */
export type LedgerPositionsTable = { tenant_id: string; batch: number };
