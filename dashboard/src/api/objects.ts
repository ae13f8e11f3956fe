import type { CanonicalLimit } from 'sluice/contract';

/** What the API answers with, as far as several pages read it. */

export type Page<T> = { readonly items: readonly T[]; readonly next_cursor: string | null };

/** What every stored object has. */
export type Stored = {
  readonly id: string;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
};

/** What every change says besides the object. */
export type Published = { readonly published: boolean };

export const roles = ['viewer', 'operator', 'owner'] as const;
export type Role = (typeof roles)[number];

export type Me = {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly tenant_id: string | null;
  readonly expires_at: string | null;
};

export type Tenant = Stored & {
  readonly name: string;
  readonly tier: string;
  readonly plan_id: string | null;
  readonly status: 'active' | 'suspended';
  readonly timezone: string;
  readonly billing_anchor_day: number;
  readonly pool: string | null;
};

export type Plan = Stored & {
  readonly tenant_id: string | null;
  readonly name: string;
  readonly limits: readonly CanonicalLimit[];
};

export type Demo = {
  readonly tenant_id: string;
  readonly key: string;
  readonly plans: readonly DemoPlan[];
};

export type DemoPlan = {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly limits: readonly CanonicalLimit[];
};
