import type { Limit, Mode } from 'sluice/core';
import type { Definition } from './definition.ts';
import type { Modes } from './modes.ts';
import { OverrideChoice, type CalledBy, type Override } from './overrides.ts';
import type { Pattern } from './pattern.ts';
import { Rule } from './rule.ts';

export type CompiledPlan = {
  /** Which plan, in which version, for which calendar. */
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly limits: readonly Definition[];
};

export type CompiledPolicy = {
  readonly id: string;
  readonly pattern: Pattern;
  readonly cost: number | null;
  readonly costs: Readonly<Record<string, number>>;
  readonly maxCost: number | null;
  readonly mode: Mode | null;
  readonly limits: readonly Definition[];
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

/** The limits of a tree of quotas that a call is charged to. */
export type QuotaTree = {
  applying(attributes: Readonly<Record<string, string>>): readonly Limit[];
};

/** What bends plan and policies, for this tenant and this time. */
export type Bends = {
  readonly modes: Modes;
  readonly overrides: readonly Override[];
  readonly quota: QuotaTree | null;
};

/** What applies to a call of one resource. */
export type Resolution = {
  readonly plan: CompiledPlan | null;
  /** The most specific one that matches. */
  readonly policy: CompiledPolicy | null;
  /** All that match, the most specific first. */
  readonly policies: readonly CompiledPolicy[];
  /** The plan's limits, then those of policies. */
  readonly rules: readonly Rule[];
  readonly quota: QuotaTree | null;
  readonly cost: number;
  readonly costs: Readonly<Record<string, number>>;
  readonly maxCost: number | null;
  /** What limits per resource count: the matched pattern, else the resource itself. */
  readonly counted: string;
  /** Where who calls makes no difference. */
  readonly forAll: Selection | null;
};

/** The limits that one call is under. */
export type Selection = {
  readonly limits: readonly Limit[];
  /** Names the resource and the limits in the ledger. */
  readonly label: string;
};

const resolutionsMax = 2000;
const resourceLengthMax = 256;
/** The very object that a resolution has where no policy says what a call costs. */
export const noCosts: Readonly<Record<string, number>> = Object.freeze(Object.create(null));
const anybody: CalledBy = { subject: '', attributes: {} };

/** A plan beside policies: resolves resources, and remembers how. */
export class Rules {
  readonly plan: CompiledPlan | null;
  readonly #policies: PolicySet;
  readonly #bends: Bends;
  #known = new Map<string, Resolution>();

  constructor(plan: CompiledPlan | null, policies: PolicySet, bends: Bends) {
    this.plan = plan;
    this.#policies = policies;
    this.#bends = bends;
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

  get quota(): QuotaTree | null {
    return this.#bends.quota;
  }

  /** Every limit that plan and policies define, in the mode that it has for what it is meant for. */
  get standing(): readonly Rule[] {
    const ofPlan = (this.plan?.limits ?? []).map((definition) => this.#rule(definition, '', []));
    const ofPolicies = this.#policies.policies.flatMap(({ limits, pattern: { text } }) =>
      limits.map((definition) => this.#rule(definition, text, this.#policies.matching(text))),
    );
    return [...ofPlan, ...ofPolicies];
  }

  /** The limits of plan and quota, whatever is called. */
  ofPlan(attributes: CalledBy['attributes'] = {}): readonly Limit[] {
    const rules = (this.plan?.limits ?? []).map((definition) => this.#rule(definition, '', []));
    return limitsOf(rules, this.#bends.quota, { subject: '', attributes });
  }

  #resolve(resource: string): Resolution {
    const policies = this.#policies.matching(resource);
    const ofPlan = (this.plan?.limits ?? []).filter((definition) => definition.isFor(resource));
    const rules = [...ofPlan, ...ofPolicies(resource, policies)].map((definition) =>
      this.#rule(definition, resource, policies),
    );
    const policy = policies[0] ?? null;
    const { quota } = this.#bends;
    const resolution = {
      plan: this.plan,
      policy,
      policies,
      rules,
      quota,
      cost: policies.find(({ cost }) => cost !== null)?.cost ?? 1,
      costs: mergedCosts(policies),
      maxCost: policies.find(({ maxCost }) => maxCost !== null)?.maxCost ?? null,
      counted: policy ? policy.pattern.text : resource,
      forAll: null,
    };
    const isPersonal = quota !== null || rules.some((rule) => rule.isPersonal);
    return isPersonal ? resolution : { ...resolution, forAll: select(resolution, anybody) };
  }

  #rule(definition: Definition, resource: string, policies: readonly CompiledPolicy[]): Rule {
    const mode = this.#bends.modes.of(definition, resource, policies);
    const { base } = definition;
    return new Rule(definition, mode, {
      own: this.#choiceFor(definition, resource),
      base: base ? this.#choiceFor(base, resource) : noChoice,
    });
  }

  #choiceFor({ name, definedBy }: Definition, resource: string): OverrideChoice {
    const { overrides } = this.#bends;
    if (overrides.length === 0) return noChoice;
    const fitting = overrides.filter((one) => one.isOf(name, definedBy) && one.isFor(resource));
    return fitting.length === 0 ? noChoice : new OverrideChoice(fitting);
  }
}

const noChoice = new OverrideChoice([]);

/** Of this call: what is the same for all callers was found out before. */
export function select(resolution: Resolution, call: CalledBy): Selection {
  if (resolution.forAll) return resolution.forAll;
  const { rules, quota, policy } = resolution;
  const limits = limitsOf(rules, quota, call);
  const names = limits.map(({ name }) => name).join();
  return { limits, label: `${countedAs(policy)} ${names}` };
}

/** What calls are counted under in the ledger: the policy for their resource, or all without one. */
export function countedAs(policy: CompiledPolicy | null): string {
  return policy ? policy.pattern.text : '*';
}

function limitsOf(
  rules: readonly Rule[],
  quota: QuotaTree | null,
  call: CalledBy,
): readonly Limit[] {
  const limits: Limit[] = [];
  for (const rule of rules) {
    const limit = rule.for(call);
    if (limit) limits.push(limit);
  }
  if (quota) limits.push(...quota.applying(call.attributes));
  return limits;
}

/** Of two limits of one name the more specific counts. */
function ofPolicies(resource: string, policies: readonly CompiledPolicy[]): Definition[] {
  const byName = new Map<string, Definition>();
  for (const { limits } of policies) {
    for (const definition of limits) {
      if (definition.isFor(resource) && !byName.has(definition.name)) {
        byName.set(definition.name, definition);
      }
    }
  }
  return [...byName.values()];
}

/** Unit by unit, the more specific first. */
function mergedCosts(matching: readonly CompiledPolicy[]): Readonly<Record<string, number>> {
  const merged = Object.assign({}, ...matching.map(({ costs }) => costs).toReversed());
  return Object.keys(merged).length === 0 ? noCosts : merged;
}
