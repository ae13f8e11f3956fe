import type { Selectable } from 'kysely';
import type { AdminTokensTable } from '../../database/tables.ts';
import type { Role } from '../actor.ts';
import { type KeyStatus, statusOf } from '../api-keys/api-key.ts';
import { isoOf } from '../rows.ts';

/** What may be told of a token: neither its secret nor the hash of it. */
export type Token = {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** Null: for the whole platform. */
  readonly tenant_id: string | null;
  readonly status: KeyStatus;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  /** To the minute. */
  readonly last_used_at: string | null;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
};

/** Told once, to who made it. */
export type NewToken = Token & { readonly token: string };

export type TokenPatch = { readonly name?: string; readonly expires_at?: string | null };

export type TokenInput = {
  readonly name: string;
  readonly role: Role;
  readonly tenant_id?: string | null;
  readonly expires_at?: string | null;
};

export function tokenOf(row: Selectable<AdminTokensTable>, nowMs: number): Token {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    tenant_id: row.tenant_id,
    status: statusOf(row, nowMs),
    expires_at: isoOf(row.expires_at),
    revoked_at: isoOf(row.revoked_at),
    last_used_at: isoOf(row.last_used_at),
    version: row.version,
    created_at: isoOf(row.created_at),
    updated_at: isoOf(row.updated_at),
  };
}
