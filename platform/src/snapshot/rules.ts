import type { Limit } from 'sluice/core';
import type { Pattern } from './pattern.ts';

/** A limit, and the resources that it is for: all of them unless it names some. */
export type ScopedLimit = { readonly limit: Limit; readonly resources: readonly Pattern[] | null };

export type CompiledPlan = {
  /** Which plan, in which version, for which calendar. */
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly limits: readonly ScopedLimit[];
};

export type CompiledPolicy = {
  readonly id: string;
  readonly pattern: Pattern;
  readonly cost: number | null;
  readonly costs: Readonly<Record<string, number>>;
  readonly maxCost: number | null;
  readonly limits: readonly ScopedLimit[];
};

/** Policies, the most specific first; of equals the one given first. */
export class PolicySet {
  readonly key: string;
  readonly policies: readonly CompiledPolicy[];

  constructor(key: string, policies: readonly CompiledPolicy[]) {
    this.key = key;
    this.policies = policies.toSorted((a, b) => a.pattern.compare(b.pattern));
  }

  matching(resource: string): readonly CompiledPolicy[] {
    return this.policies.filter(({ pattern }) => pattern.matches(resource));
  }
}

/** What applies to a call of one resource. */
export type Resolution = {
  readonly plan: CompiledPlan | null;
  /** The most specific one that matches. */
  readonly policy: CompiledPolicy | null;
  readonly limits: readonly Limit[];
  readonly cost: number;
  readonly costs: Readonly<Record<string, number>>;
  readonly maxCost: number | null;
  /** What limits per resource count: the matched pattern, else the resource itself. */
  readonly counted: string;
  /** Names the resource and the limits in the ledger. */
  readonly label: string;
};

const resolutionsMax = 2000;
const resourceLengthMax = 256;
const noCosts: Readonly<Record<string, number>> = Object.freeze({});

/** A plan beside policies: resolves resources, and remembers how. */
export class Rules {
  readonly plan: CompiledPlan | null;
  readonly #policies: PolicySet;
  #known = new Map<string, Resolution>();

  constructor(plan: CompiledPlan | null, policies: PolicySet) {
    this.plan = plan;
    this.#policies = policies;
  }

  resolve(resource: string): Resolution {
    const known = this.#known.get(resource);
    if (known) return known;
    const resolution = this.#resolve(resource);
    // Callers choose resources: what is remembered of them is bounded, and cheap to find anew.
    if (resource.length <= resourceLengthMax) {
      if (this.#known.size >= resolutionsMax) this.#known = new Map();
      this.#known.set(resource, resolution);
    }
    return resolution;
  }

  #resolve(resource: string): Resolution {
    const matching = this.#policies.matching(resource);
    const limits = new Map<string, Limit>();
    // Of two limits of one name the more specific counts.
    for (const { limits: more } of matching) {
      for (const limit of limitsFor(resource, more)) {
        if (!limits.has(limit.name)) limits.set(limit.name, limit);
      }
    }
    const applying = [...limitsFor(resource, this.plan?.limits ?? []), ...limits.values()];
    const policy = matching[0] ?? null;
    return {
      plan: this.plan,
      policy,
      limits: applying,
      cost: matching.find(({ cost }) => cost !== null)?.cost ?? 1,
      costs: policy ? mergedCosts(matching) : noCosts,
      maxCost: matching.find(({ maxCost }) => maxCost !== null)?.maxCost ?? null,
      counted: policy ? policy.pattern.text : resource,
      label: `${policy ? policy.pattern.text : '*'} ${applying.map(({ name }) => name).join()}`,
    };
  }
}

function limitsFor(resource: string, limits: readonly ScopedLimit[]): Limit[] {
  return limits
    .filter(({ resources }) => resources?.some((pattern) => pattern.matches(resource)) ?? true)
    .map(({ limit }) => limit);
}

/** Unit by unit, the more specific first. */
function mergedCosts(matching: readonly CompiledPolicy[]): Readonly<Record<string, number>> {
  return Object.assign({}, ...matching.map(({ costs }) => costs).toReversed());
}
