import type { Selectable } from 'kysely';
import type { ApiKeysTable } from '../../database/tables.ts';
import { isoOf } from '../rows.ts';

export const keyScopes = ['check', 'settle', 'usage', 'plan:select', 'refund'] as const;
export type KeyScope = (typeof keyScopes)[number];

export const keyScopesDefault: readonly KeyScope[] = ['check', 'settle', 'usage'];

export const keyStatuses = ['active', 'expired', 'revoked'] as const;
export type KeyStatus = (typeof keyStatuses)[number];

/** What may be told of a key: neither its secret nor the hash of it. */
export type ApiKey = {
  readonly id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly status: KeyStatus;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
};

/** Told once, to who made it. */
export type NewApiKey = ApiKey & { readonly key: string; readonly key_hash: string };

export type RotatedApiKey = NewApiKey & {
  /** The key it takes over from, and until when that one still works. */
  readonly replaces: { readonly id: string; readonly expires_at: string };
};

export type ApiKeyPatch = {
  readonly name?: string;
  readonly scopes?: readonly KeyScope[];
  readonly expires_at?: string | null;
};

export type ApiKeyInput = ApiKeyPatch & { readonly tenant_id: string; readonly name: string };

/** Imported ones may have other ids than ours, within reason. */
export function isKeyId(text: string): boolean {
  return /^\w{1,64}$/.test(text);
}

export function apiKeyOf(row: Selectable<ApiKeysTable>, nowMs: number): ApiKey {
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    name: row.name,
    scopes: row.scopes as KeyScope[],
    status: statusOf(row, nowMs),
    expires_at: isoOf(row.expires_at),
    revoked_at: isoOf(row.revoked_at),
    last_used_at: isoOf(row.last_used_at),
    version: row.version,
    created_at: isoOf(row.created_at),
    updated_at: isoOf(row.updated_at),
  };
}

export function statusOf(
  row: { readonly revoked_at: Date | null; readonly expires_at: Date | null },
  nowMs: number,
): KeyStatus {
  if (row.revoked_at !== null) return 'revoked';
  return row.expires_at !== null && row.expires_at.getTime() <= nowMs ? 'expired' : 'active';
}
