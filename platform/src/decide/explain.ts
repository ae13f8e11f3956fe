import { bind, InvalidInput, levelOf, type Limit, type ParsedCheck } from 'sluice/core';
import type { Definition } from '../snapshot/definition.ts';
import type { CalledBy } from '../snapshot/overrides.ts';
import type { Rule } from '../snapshot/rule.ts';
import type { CompiledPolicy, Resolution, Rules } from '../snapshot/rules.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Snapshots } from '../snapshot/snapshots.ts';
import { costsFor, parsedCheckOf, type CheckInput } from './check-input.ts';
import { UnknownPlan } from './errors.ts';
import { doorsWithoutRelease } from './way.ts';

/** Who is asked about: a check, by a key or by none in particular. */
export type ExplainInput = CheckInput & { readonly keyId?: string | undefined };

type Because = { readonly because: string };

/** A limit that was looked at; of one that is for other calls, only that. */
export type ExplainedLimit = Because & {
  readonly name: string;
  readonly applies: boolean;
  readonly defined_by: { readonly kind: 'plan' | 'policy' | 'quota'; readonly id?: string };
  readonly algorithm?: string;
  readonly unit?: string;
  readonly cost?: number;
  readonly per?: readonly string[];
  readonly level?: string;
  readonly limit?: number;
  readonly on_store_failure?: string;
  readonly mode?: string;
  readonly mode_because?: string;
  readonly enforce_from?: string | null;
  readonly numbers?: Readonly<Record<string, unknown>>;
  readonly base_numbers?: Readonly<Record<string, unknown>>;
  /** Doors that leave it out, for nobody there could give its slot back. */
  readonly skipped_by?: readonly string[];
  readonly override?: { readonly id: string; readonly of: string } | null;
};

export type Explanation = {
  readonly tenant: {
    readonly id: string;
    readonly name: string;
    readonly tier: string;
    readonly status: string;
  };
  readonly allowed_without_limits: boolean;
  readonly plan: (Because & { readonly id: string; readonly name: string }) | null;
  readonly resource: Because & { readonly asked: string; readonly counted: string };
  readonly policies: readonly {
    readonly id: string;
    readonly resource: string;
    readonly cost: number | null;
    readonly costs: Readonly<Record<string, number>>;
    readonly max_cost: number | null;
    readonly mode: string | null;
    readonly limits: readonly string[];
  }[];
  readonly cost: number;
  readonly costs: Readonly<Record<string, number>>;
  readonly cost_because: string;
  readonly block: {
    readonly id: string;
    readonly action: string;
    readonly expires_at: string | null;
  } | null;
  readonly limits: readonly ExplainedLimit[];
};

const noAttributes: Readonly<Record<string, string>> = Object.freeze({});

/** Explains checks by what is configured right now. */
export class Explainer {
  readonly #snapshots: Pick<Snapshots, 'reload'>;

  constructor(snapshots: Pick<Snapshots, 'reload'>) {
    this.#snapshots = snapshots;
  }

  /** Null when there is no such tenant. */
  async explain(tenantId: string, input: ExplainInput): Promise<Explanation | null> {
    const snapshot = await this.#snapshots.reload(tenantId);
    return snapshot && explain(snapshot, input);
  }
}

/** What applies to a check, and why. Decides nothing and charges nothing. */
function explain(snapshot: Snapshot, input: ExplainInput): Explanation {
  const { tenant } = snapshot;
  const rules = rulesOf(snapshot, input);
  const resolution = rules.resolve(input.resource);
  const { cost, costs } = costsFor(input, resolution);
  const keyId = input.keyId ?? null;
  const check = parsedCheckOf(input, { tenant: tenant.name, keyId }, resolution);
  const call = { subject: input.subject, attributes: input.attributes ?? noAttributes };
  const block = snapshot.blocks.of({ ...call, keyId });
  return {
    tenant: { id: tenant.id, name: tenant.name, tier: tenant.tier, status: tenant.status },
    allowed_without_limits: rules.plan === null && resolution.rules.length === 0 && !rules.quota,
    plan: rules.plan && {
      id: rules.plan.id,
      name: rules.plan.name,
      because: planBecause(snapshot, input),
    },
    resource: {
      asked: input.resource,
      counted: resolution.counted,
      because: resolution.policy
        ? 'the most specific policy that matches is for it'
        : 'no policy matches, so it counts as it is',
    },
    policies: resolution.policies.map(policyOf),
    cost,
    costs,
    cost_because: costBecause(input, resolution),
    block: block && {
      id: block.id,
      action: block.action,
      expires_at: block.untilMs === null ? null : isoOf(block.untilMs),
    },
    limits: [
      ...resolution.rules.map((rule) => ruleOf(rule, call, check)),
      ...leftOut(rules, resolution),
      ...(rules.quota?.applying(call.attributes) ?? []).map((limit) => quotaOf(limit, check)),
    ],
  };
}

function rulesOf(snapshot: Snapshot, { planId }: ExplainInput): Rules {
  if (planId === undefined) return snapshot.rules;
  const rules = snapshot.rulesOf(planId);
  if (!rules) throw new UnknownPlan();
  return rules;
}

function planBecause({ tenant }: Snapshot, { planId }: ExplainInput): string {
  if (planId !== undefined) return 'the check names it';
  return tenant.planId === null
    ? 'the tenant has no plan of its own, and this shared one has the name of its tier'
    : 'the tenant is on it';
}

function costBecause({ cost }: ExplainInput, { policies }: Resolution): string {
  if (cost !== undefined) return 'the check says so';
  const policy = policies.find((one) => one.cost !== null);
  return policy ? `the policy for ${policy.pattern.text} says so` : 'nothing says otherwise';
}

function policyOf({ id, pattern, cost, costs, maxCost, mode, limits }: CompiledPolicy) {
  return {
    id,
    resource: pattern.text,
    cost,
    costs,
    max_cost: maxCost,
    mode,
    limits: limits.map(({ name }) => name),
  };
}

function ruleOf(rule: Rule, call: CalledBy, check: ParsedCheck): ExplainedLimit {
  const { definition, mode } = rule;
  const { applies, because, limit } = verdictOn(rule, call, check);
  const replaced = rule.replacedFor(call);
  const shown = limit ?? definition.plain(mode.mode === 'off' ? enforced : mode);
  const by = shown.override ? (replaced.own ?? replaced.base) : null;
  return {
    ...described(shown, check),
    defined_by: definedByOf(definition),
    applies,
    because,
    mode: mode.mode,
    mode_because: mode.because,
    enforce_from: mode.enforceFromMs === null ? null : isoOf(mode.enforceFromMs),
    numbers: definition.numbersWith(by ? replaced : nothing),
    base_numbers: definition.numbersWith(nothing),
    override: by && {
      id: by.id,
      of: by === replaced.own ? definition.name : (definition.base?.name ?? definition.name),
    },
  };
}

const enforced = { mode: 'enforce', enforceFromMs: null } as const;
const nothing = { own: null, base: null };

function verdictOn(rule: Rule, call: CalledBy, check: ParsedCheck) {
  const { definition, mode } = rule;
  const no = (because: string) => ({ applies: false, because, limit: null });
  if (mode.mode === 'off') return no('it is off');
  if (!definition.appliesTo(call.attributes)) {
    return no(`it is for calls with ${Object.keys(definition.wire.when ?? {}).join(' and ')}`);
  }
  const limit = rule.for(call) as Limit;
  try {
    const [bound] = bind([limit], check);
    if (!bound) return no('the check lacks an attribute that it counts by');
    return { applies: true, because: whyOf(bound.cost, limit, check), limit };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { applies: false, because: `the check is refused: ${error.message}`, limit };
  }
}

function whyOf(cost: number, { unit }: Limit, { cost: requests }: ParsedCheck): string {
  if (cost > 0) return 'it is charged';
  if (unit !== 'requests' || requests > 0)
    return `the call costs no ${unit}: reported, not charged`;
  return 'the call costs nothing: it only looks';
}

/** What the plan and the policies say for other calls, or what something closer replaces. */
function leftOut({ plan }: Rules, { rules, policies }: Resolution): ExplainedLimit[] {
  const applying = new Set(rules.map(({ definition }) => definition));
  const others = [...(plan?.limits ?? []), ...policies.flatMap(({ limits }) => limits)];
  return others
    .filter((definition) => !applying.has(definition))
    .map((definition) => ({
      name: definition.name,
      defined_by: definedByOf(definition),
      applies: false,
      because: rules.some(({ definition: { name } }) => name === definition.name)
        ? 'a more specific policy has a limit of this name'
        : `it is for ${(definition.wire.resources ?? []).join(', ')}`,
    }));
}

function quotaOf(limit: Limit, check: ParsedCheck): ExplainedLimit {
  return {
    ...described(limit, check),
    defined_by: { kind: 'quota' },
    applies: true,
    because: 'the check names this branch of the tree',
    mode: limit.mode,
    numbers: { limit: limit.size },
  };
}

function described(limit: Limit, check: ParsedCheck) {
  const { name, numbers, unit, per, onStoreFailure } = limit;
  return {
    name,
    algorithm: numbers.algorithm,
    unit,
    cost: unit === 'requests' ? check.cost : (check.costs[unit] ?? 0),
    per,
    level: levelOf(limit).name,
    limit: limit.size,
    on_store_failure: onStoreFailure,
    ...(numbers.algorithm === 'concurrency' && { skipped_by: doorsWithoutRelease }),
  };
}

function definedByOf({ definedBy }: Definition) {
  return { kind: definedBy.kind, id: definedBy.id };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
