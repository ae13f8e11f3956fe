import type { CanonicalLimit } from 'sluice/contract';
import type { Published, Stored } from '../../api/objects.ts';

/** What the API says of a tenant's parts. */

export const keyScopes = ['check', 'settle', 'usage', 'refund', 'plan:select'] as const;
export type KeyScope = (typeof keyScopes)[number];

export type ApiKey = Stored & {
  readonly tenant_id: string;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly status: 'active' | 'expired' | 'revoked';
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
};

/** With the key itself, told this once. */
export type NewApiKey = ApiKey & Published & { readonly key: string };
export type RotatedApiKey = NewApiKey & {
  readonly replaces: { readonly id: string; readonly expires_at: string };
};

export const numberFields = [
  'bucket_capacity',
  'refill_rate_per_sec',
  'limit',
  'window_seconds',
  'max_concurrent',
  'stale_after_seconds',
] as const;
export type NumberField = (typeof numberFields)[number];

export type Override = Stored & {
  readonly tenant_id: string;
  readonly limit: string;
  readonly plan_id: string | null;
  readonly policy_id: string | null;
  readonly resource: string | null;
  readonly subject: string | null;
  readonly attributes: Readonly<Record<string, string>>;
  readonly numbers: Readonly<Partial<Record<NumberField, number>>>;
  readonly starts_at: string | null;
  readonly expires_at: string | null;
  readonly status: 'active' | 'scheduled' | 'expired';
  readonly reason: string;
};

export type Block = Stored & {
  readonly tenant_id: string | null;
  readonly subject: string | null;
  readonly ip: string | null;
  readonly attribute: { readonly name: string; readonly value: string } | null;
  readonly key_id: string | null;
  readonly action: 'block' | 'bypass';
  readonly expires_at: string | null;
  readonly status: 'active' | 'expired';
  readonly reason: string;
};

export type Policy = Stored & {
  readonly tenant_id: string | null;
  readonly resource: string;
  readonly limits: readonly CanonicalLimit[];
};

export type Pool = Stored & { readonly name: string; readonly tiers: readonly string[] };

/** A limit with what one of its counters says; null where it was not said whose. */
export type Counter = {
  readonly name: string;
  readonly algorithm: CanonicalLimit['algorithm'];
  readonly unit: string;
  readonly per: readonly string[];
  readonly mode: 'off' | 'shadow' | 'warn' | 'enforce';
  readonly limit: number;
  readonly used: number | null;
  readonly remaining: number | null;
  /** In seconds since 1970. */
  readonly reset_at: number | null;
  readonly blocked_until: number | null;
};

export type QuotaStanding = {
  readonly name: string;
  readonly unit: string;
  readonly period: string;
  readonly ends_at: string;
  readonly effective_limit: number;
  readonly used: number | null;
  readonly remaining: number | null;
};
