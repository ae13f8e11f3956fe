import type { CanonicalLimit } from 'sluice/contract';
import { parseMode } from 'sluice/core';
import { Blocks } from './blocks.ts';
import { Definition, type DefinedBy } from './definition.ts';
import { Modes } from './modes.ts';
import { Override } from './overrides.ts';
import { Pattern } from './pattern.ts';
import { QuotaLimits } from './quota-limits.ts';
import {
  PolicySet,
  Rules,
  type Bends,
  type CompiledPlan,
  type CompiledPolicy,
  type QuotaTree,
} from './rules.ts';
import { sameEpoch } from './same.ts';
import { planById, Snapshot, type Calendar, type RulesOf } from './snapshot.ts';
import type { ModeSource, PlanSource, PolicySource, SharedSource, TenantSource } from './source.ts';
import { changesAtMs, isInForce } from './timeline.ts';
import { WeakMemo } from './weak-memo.ts';

/**
 * Turns sources into snapshots, as of a moment. What many tenants have in common is compiled once: a
 * hundred thousand tenants on one plan share its limits. It is kept by their snapshots alone, and so
 * goes with the last of them.
 */
export class Compiler {
  readonly #plans = new WeakMemo<CompiledPlan>();
  readonly #policySets = new WeakMemo<PolicySet>();
  readonly #rules = new WeakMemo<Rules>();
  readonly #rulesOf = new WeakMemo<RulesOf>();
  /** Those of all tenants, which nearly all have: one for each version. */
  readonly #blocks = new WeakMap<
    SharedSource,
    { readonly count: number; readonly blocks: Blocks }
  >();

  compile(tenant: TenantSource, shared: SharedSource, nowMs: number): Snapshot {
    const policies = this.#policySet(tenant, shared);
    return new Snapshot({
      tenant,
      epoch: sameEpoch({ tenant: tenant.epoch.tenant, shared: shared.epoch }),
      plan: planOf(tenant, shared),
      rulesOf: this.#rulesWith(tenant, shared, policies, nowMs),
      shared,
      blocks: this.#blocksOf(tenant, shared, nowMs),
      validUntilMs: Math.min(changesAtMs(tenant, nowMs), changesAtMs(shared, nowMs)),
    });
  }

  /** Rules that nothing of the tenant's own bends are shared by all who are on the same plan. */
  #rulesWith(
    tenant: TenantSource,
    shared: SharedSource,
    policies: PolicySet,
    nowMs: number,
  ): RulesOf {
    const sources = [...tenant.modes, ...shared.modes];
    const modes = () => new Modes(sources, nowMs);
    const overrides = tenant.overrides
      .filter((one) => isInForce(one, nowMs))
      .map((one) => new Override(one));
    if (overrides.length > 0 || tenant.quota) {
      const bends = { modes: modes(), overrides };
      const quota = quotaOf(tenant, bends.modes, nowMs);
      return (plan, calendar) =>
        new Rules(plan && this.#plan(plan, calendar), policies, { ...bends, quota });
    }
    const key = `${policies.key} ${modesKey(sources, nowMs)}`;
    return this.#rulesOf.of(key, () => this.#unbent(key, policies, modes()));
  }

  #unbent(key: string, policies: PolicySet, modes: Modes): RulesOf {
    const bends: Bends = { modes, overrides: [], quota: null };
    return (plan, calendar) => {
      const compiled = plan && this.#plan(plan, calendar);
      const make = () => new Rules(compiled, policies, bends);
      return this.#rules.of(`${compiled?.key ?? '-'} ${key}`, make);
    };
  }

  #plan(plan: PlanSource, calendar: Calendar): CompiledPlan {
    const key = `${plan.id}:${plan.version}:${calendarKey(plan.limits, calendar)}`;
    return this.#plans.of(key, () => ({
      key,
      id: plan.id,
      name: plan.name,
      limits: define(plan.limits, { kind: 'plan', id: plan.id }, calendar),
    }));
  }

  #policySet(tenant: TenantSource, shared: SharedSource): PolicySet {
    const sources = [...tenant.policies, ...shared.policies];
    const key = sources
      .map(({ id, version, limits }) => `${id}:${version}:${calendarKey(limits, tenant)}`)
      .join();
    return this.#policySets.of(key, () => {
      const own = tenant.policies.map((policy) => compilePolicy(policy, tenant));
      const common = shared.policies.map((policy) => compilePolicy(policy, tenant));
      return new PolicySet(key, [...own, ...common]);
    });
  }

  #blocksOf(tenant: TenantSource, shared: SharedSource, nowMs: number): Blocks {
    const own = tenant.blocks.filter((one) => isInForce(one, nowMs));
    const common = shared.blocks.filter((one) => isInForce(one, nowMs));
    if (own.length > 0) return new Blocks([...own, ...common]);
    let known = this.#blocks.get(shared);
    // With time they only become fewer.
    if (known?.count !== common.length) {
      known = { count: common.length, blocks: new Blocks(common) };
      this.#blocks.set(shared, known);
    }
    return known.blocks;
  }
}

/** A tenant without a plan of its own is on the shared one that its tier names. */
function planOf(tenant: TenantSource, shared: SharedSource): PlanSource | null {
  if (tenant.planId === null) return shared.plans.find(({ name }) => name === tenant.tier) ?? null;
  return planById(tenant.planId, tenant, shared);
}

function quotaOf(tenant: TenantSource, modes: Modes, nowMs: number): QuotaTree | null {
  const { quota } = tenant;
  if (!quota) return null;
  return QuotaLimits.of(quota, {
    calendar: tenant,
    nowMs,
    ...modes.ofQuota(quota.name, quota.mode),
  });
}

/** Two lists of modes with one key say the same of every limit. */
function modesKey(modes: readonly ModeSource[], nowMs: number): string {
  if (modes.length === 0) return '';
  const over = modes.filter(
    ({ enforceFromMs }) => enforceFromMs !== null && enforceFromMs <= nowMs,
  );
  return `${JSON.stringify(modes)} ${over.length}`;
}

function compilePolicy(policy: PolicySource, calendar: Calendar): CompiledPolicy {
  const { id, resource } = policy;
  return {
    id,
    pattern: new Pattern(resource),
    cost: policy.cost,
    costs: policy.costs,
    maxCost: policy.max_cost,
    mode: policy.mode === null ? null : parseMode('mode', policy.mode),
    limits: define(policy.limits, { kind: 'policy', id, resource }, calendar),
  };
}

function define(
  wires: readonly unknown[],
  definedBy: DefinedBy,
  calendar: Calendar,
): readonly Definition[] {
  const limits = wires as readonly CanonicalLimit[];
  const byName = new Map<string, Definition>();
  const one = (limit: CanonicalLimit): Definition => {
    const known = byName.get(limit.name);
    if (known) return known;
    const base = limits.find(({ name }) => name === limit.share_of?.limit);
    const made = new Definition({
      wire: { ...calendarOf(limit, calendar), ...limit },
      definedBy,
      resources: limit.resources?.map((text) => new Pattern(text)) ?? null,
      base: base ? one(base) : null,
    });
    byName.set(limit.name, made);
    return made;
  };
  return limits.map(one);
}

function calendarOf(limit: CanonicalLimit, calendar: Calendar): object {
  if (limit.algorithm !== 'quota') return {};
  const { timezone, billingAnchorDay: anchor } = calendar;
  return limit.period === 'month' ? { timezone, anchor } : { timezone };
}

/** Limits without quotas are the same in every time zone. */
function calendarKey(limits: readonly unknown[], calendar: Calendar): string {
  const hasQuota = limits.some((wire) => (wire as { algorithm?: unknown }).algorithm === 'quota');
  return hasQuota ? `${calendar.timezone}@${calendar.billingAnchorDay}` : '';
}
