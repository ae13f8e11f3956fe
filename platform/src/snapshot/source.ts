import type { Epoch } from 'sluice/core';
import type { QuotaTeams } from '../database/tables.ts';

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

export type OverrideSource = {
  readonly id: string;
  readonly limit_name: string;
  readonly plan_id: string | null;
  readonly policy_id: string | null;
  readonly resource: string | null;
  readonly subject: string | null;
  readonly attributes: Readonly<Record<string, string>>;
  readonly numbers: Readonly<Record<string, number>>;
  readonly startsAtMs: number | null;
  readonly expiresAtMs: number | null;
  readonly createdAtMs: number;
};

export type BlockSource = {
  readonly id: string;
  readonly subject: string | null;
  readonly ip: string | null;
  readonly attribute: { readonly name: string; readonly value: string } | null;
  readonly key_id: string | null;
  readonly action: 'block' | 'bypass';
  readonly expiresAtMs: number | null;
};

export type ModeSource = {
  readonly scope: 'platform' | 'tenant' | 'resource' | 'policy' | 'limit';
  readonly resource: string | null;
  readonly policy_id: string | null;
  readonly limit_name: string | null;
  readonly mode: string;
  readonly enforceFromMs: number | null;
  readonly confirm: boolean;
};

export type QuotaSource = {
  readonly name: string;
  readonly period: string;
  readonly unit: string;
  readonly allowance: number;
  readonly mode: string | null;
  readonly teams: QuotaTeams;
  readonly topUps: readonly { readonly amount: number; readonly endsAtMs: number }[];
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
  /** The pool that it names, if it does. */
  readonly pool: string | null;
  /** The pool in whose Redis this generation is counted; null: in the one that all share. */
  readonly place: string | null;
  /** `shared` is what was current then: the shared source must not be older. */
  readonly epoch: Epoch;
  readonly plans: readonly PlanSource[];
  readonly policies: readonly PolicySource[];
  readonly overrides: readonly OverrideSource[];
  readonly blocks: readonly BlockSource[];
  readonly modes: readonly ModeSource[];
  readonly quota: QuotaSource | null;
  /** Some key of it may ask for refunds: what is charged is kept for them. */
  readonly refunds: boolean;
};

/** What all tenants share. */
export type SharedSource = {
  readonly epoch: number;
  readonly plans: readonly PlanSource[];
  readonly policies: readonly PolicySource[];
  readonly blocks: readonly BlockSource[];
  readonly modes: readonly ModeSource[];
  readonly pools: readonly PoolSource[];
};

export type PoolSource = {
  readonly name: string;
  /** Whose tenants are in it unless they say otherwise. */
  readonly tiers: readonly string[];
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
