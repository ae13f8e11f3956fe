import type { Epoch } from 'sluice/core';

/** What is configured, as it is stored: plain data that also travels through the cache in Redis. */

export type PlanSource = {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly limits: readonly unknown[];
};

export type PolicySource = {
  readonly id: string;
  readonly version: number;
  readonly resource: string;
  readonly cost: number | null;
  readonly costs: Readonly<Record<string, number>>;
  readonly max_cost: number | null;
  readonly limits: readonly unknown[];
  readonly mode: string | null;
};

/** Of one tenant, read at one moment: everything it does not share. */
export type TenantSource = {
  readonly id: string;
  readonly name: string;
  readonly tier: string;
  readonly status: 'active' | 'suspended';
  readonly timezone: string;
  readonly billingAnchorDay: number;
  readonly planId: string | null;
  readonly generation: number;
  /** `shared` is what was current then: the shared source must not be older. */
  readonly epoch: Epoch;
  readonly plans: readonly PlanSource[];
  readonly policies: readonly PolicySource[];
};

/** What all tenants share. */
export type SharedSource = {
  readonly epoch: number;
  readonly plans: readonly PlanSource[];
  readonly policies: readonly PolicySource[];
};

/** A key, without anything that would let somebody use it. */
export type KeySource = {
  readonly id: string;
  readonly tenantId: string;
  /** The tenant's epoch when it was read: in a later one it may have been revoked. */
  readonly epoch: number;
  readonly salt: string;
  readonly hash: string;
  readonly scopes: readonly string[];
  readonly expiresAtMs: number | null;
  readonly revoked: boolean;
};
