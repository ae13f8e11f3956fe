import { KnownTenant, type Epoch, type SnapshotRef, type TenantRef } from 'sluice/core';
import { defaultPool } from '../control/pools/pool.ts';
import type { Blocks } from './blocks.ts';
import type { Rules } from './rules.ts';
import type { PlanSource, SharedSource, TenantSource } from './source.ts';

/** Plans of one tenant that checks choose, so that their rules are kept. */
const chosenMax = 64;

/** What a quota takes from its tenant unless it says otherwise. */
export type Calendar = { readonly timezone: string; readonly billingAnchorDay: number };

/** The rules under a plan, for who has this calendar. */
export type RulesOf = (plan: PlanSource | null, calendar: Calendar) => Rules;

export type SnapshotParts = {
  readonly tenant: TenantSource;
  readonly epoch: Epoch;
  /** The one the tenant is on. */
  readonly plan: PlanSource | null;
  readonly shared: SharedSource;
  readonly rulesOf: RulesOf;
  readonly blocks: Blocks;
  /** When an override, a block, a mode or a top-up starts or ends. */
  readonly validUntilMs: number;
};

/**
 * The compiled configuration of one tenant: all that a check needs to know, without I/O. There is one
 * for each tenant that called lately, so that it has little of its own. As it stands it says what a
 * check was resolved from, and is the tenant that engines are asked for: of a hundred thousand none is
 * in any cache, and all that a check looks at stands side by side.
 */
export class Snapshot extends KnownTenant implements SnapshotRef {
  readonly tenant: TenantSource;
  readonly epoch: Epoch;
  readonly blocks: Blocks;
  /** Absent where nothing ends. */
  readonly validUntilUs: number | undefined;
  /** The plan that the tenant is on. */
  readonly rules: Rules;
  /** Where it was put, while it is what is known of the tenant: see `Snapshots`. */
  keptIn: object | null = null;
  /** What every check asks of the tenant. */
  readonly tier: string;
  readonly tenantName: string;
  readonly isSuspended: boolean;
  readonly refunds: boolean;
  readonly #shared: SharedSource;
  readonly #rulesOf: RulesOf;
  /** Under plans that checks chose by themselves. Null until one did. */
  #chosen: Map<string, Rules> | null = null;

  constructor(parts: SnapshotParts) {
    const { id, generation, place } = parts.tenant;
    const pool = poolOf(parts.tenant, parts.shared);
    super({ id, generation, place: place ?? undefined, pool });
    this.#shared = parts.shared;
    this.#rulesOf = parts.rulesOf;
    this.tenant = parts.tenant;
    this.epoch = parts.epoch;
    this.blocks = parts.blocks;
    this.validUntilUs =
      parts.validUntilMs === Number.POSITIVE_INFINITY ? undefined : parts.validUntilMs * 1000;
    this.rules = parts.rulesOf(parts.plan, parts.tenant);
    this.tier = parts.tenant.tier;
    this.tenantName = parts.tenant.name;
    this.isSuspended = parts.tenant.status === 'suspended';
    this.refunds = parts.tenant.refunds;
  }

  get ref(): TenantRef {
    return this;
  }

  /** Under another plan, for one check. Null when the tenant has no such plan to choose. */
  rulesOf(planId: string): Rules | null {
    const known = this.#chosen?.get(planId);
    if (known) return known;
    const plan = planById(planId, this.tenant, this.#shared);
    if (!plan) return null;
    const rules = this.#rulesOf(plan, this.tenant);
    this.#chosen ??= new Map();
    if (this.#chosen.size >= chosenMax) this.#chosen.clear();
    this.#chosen.set(planId, rules);
    return rules;
  }
}

/** The one it names, or its tier's. */
function poolOf({ pool, tier }: TenantSource, { pools }: SharedSource): string {
  return pool ?? pools.find(({ tiers }) => tiers.includes(tier))?.name ?? defaultPool;
}

export function planById(
  planId: string,
  tenant: TenantSource,
  shared: SharedSource,
): PlanSource | null {
  const isIt = ({ id }: PlanSource) => id === planId;
  return tenant.plans.find(isIt) ?? shared.plans.find(isIt) ?? null;
}
