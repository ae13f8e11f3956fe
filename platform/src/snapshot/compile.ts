import { limitFromWire } from 'sluice/contract';
import { parseLimit } from 'sluice/core';
import { LRUCache } from 'lru-cache';
import { Pattern } from './pattern.ts';
import {
  PolicySet,
  Rules,
  type CompiledPlan,
  type CompiledPolicy,
  type ScopedLimit,
} from './rules.ts';
import { planById, Snapshot } from './snapshot.ts';
import type { PlanSource, PolicySource, SharedSource, TenantSource } from './source.ts';

/** What a quota takes from its tenant unless it says otherwise. */
type Calendar = { readonly timezone: string; readonly billingAnchorDay: number };

const remembered = 10_000;

/**
 * Turns sources into snapshots. What many tenants have in common is compiled once: a hundred
 * thousand tenants on one plan share its limits.
 */
export class Compiler {
  readonly #plans = new LRUCache<string, CompiledPlan>({ max: remembered });
  readonly #policySets = new LRUCache<string, PolicySet>({ max: remembered });
  readonly #rules = new LRUCache<string, Rules>({ max: remembered });

  compile(tenant: TenantSource, shared: SharedSource): Snapshot {
    const policies = this.#policySet(tenant, shared);
    return new Snapshot({
      tenant,
      epoch: { tenant: tenant.epoch.tenant, shared: shared.epoch },
      plan: planOf(tenant, shared),
      rules: (plan) => this.#rulesOf(plan, policies, tenant),
      shared,
    });
  }

  #rulesOf(plan: PlanSource | null, policies: PolicySet, calendar: Calendar): Rules {
    const compiled = plan && this.#plan(plan, calendar);
    const id = `${compiled?.key ?? '-'} ${policies.key}`;
    return remember(this.#rules, id, () => new Rules(compiled, policies));
  }

  #plan(plan: PlanSource, calendar: Calendar): CompiledPlan {
    const key = `${plan.id}:${plan.version}:${calendarKey(plan.limits, calendar)}`;
    return remember(this.#plans, key, () => ({
      key,
      id: plan.id,
      name: plan.name,
      limits: compileLimits(plan.limits, { definedBy: 'plan', calendar, mode: null }),
    }));
  }

  #policySet(tenant: TenantSource, shared: SharedSource): PolicySet {
    const sources = [...tenant.policies, ...shared.policies];
    const key = sources
      .map(({ id, version, limits }) => `${id}:${version}:${calendarKey(limits, tenant)}`)
      .join();
    return remember(this.#policySets, key, () => {
      const own = tenant.policies.map((policy) => compilePolicy(policy, tenant));
      const common = shared.policies.map((policy) => compilePolicy(policy, tenant));
      return new PolicySet(key, [...own, ...common]);
    });
  }
}

/** A tenant without a plan of its own is on the shared one that its tier names. */
function planOf(tenant: TenantSource, shared: SharedSource): PlanSource | null {
  if (tenant.planId === null) return shared.plans.find(({ name }) => name === tenant.tier) ?? null;
  return planById(tenant.planId, tenant, shared);
}

function compilePolicy(policy: PolicySource, calendar: Calendar): CompiledPolicy {
  const definedBy = `policy ${policy.resource}`;
  return {
    id: policy.id,
    pattern: new Pattern(policy.resource),
    cost: policy.cost,
    costs: policy.costs,
    maxCost: policy.max_cost,
    limits: compileLimits(policy.limits, { definedBy, calendar, mode: policy.mode }),
  };
}

type Context = {
  readonly definedBy: string;
  readonly calendar: Calendar;
  /** Of limits that do not say. */
  readonly mode: string | null;
};

function compileLimits(
  wires: readonly unknown[],
  { definedBy, calendar, mode }: Context,
): ScopedLimit[] {
  return wires.flatMap((wire, at) => {
    const given = wire as Readonly<Record<string, unknown>>;
    const inherited = mode === null ? {} : { mode };
    const field = `limits[${at}]`;
    const input = limitFromWire({ ...calendarOf(given, calendar), ...inherited, ...given }, field);
    const limit = parseLimit(input, { definedBy, field });
    return limit ? { limit, resources: patternsIn(given) } : [];
  });
}

function patternsIn({ resources }: Readonly<Record<string, unknown>>): Pattern[] | null {
  return Array.isArray(resources) ? resources.map((text) => new Pattern(String(text))) : null;
}

function calendarOf(wire: Readonly<Record<string, unknown>>, calendar: Calendar): object {
  if (wire['algorithm'] !== 'quota') return {};
  const { timezone, billingAnchorDay: anchor } = calendar;
  return wire['period'] === 'month' ? { timezone, anchor } : { timezone };
}

/** Limits without quotas are the same in every time zone. */
function calendarKey(limits: readonly unknown[], calendar: Calendar): string {
  const hasQuota = limits.some((wire) => (wire as { algorithm?: unknown }).algorithm === 'quota');
  return hasQuota ? `${calendar.timezone}@${calendar.billingAnchorDay}` : '';
}

function remember<T extends object>(cache: LRUCache<string, T>, key: string, make: () => T): T {
  let value = cache.get(key);
  if (value === undefined) cache.set(key, (value = make()));
  return value;
}
