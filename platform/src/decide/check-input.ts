import { InvalidInput, type ParsedCheck } from 'sluice/core';
import { UnknownPlan, Denied } from './errors.ts';
import type { Caller } from './identify.ts';
import { addressAttribute } from './address-attribute.ts';
import { noCosts, type Resolution, type Rules } from '../snapshot/rules.ts';

/** A check as a door has parsed it: the right types within their bounds, nothing looked up. */
export type CheckInput = {
  readonly resource: string;
  readonly subject: string;
  readonly cost?: number | undefined;
  readonly costs?: Readonly<Record<string, number>> | undefined;
  readonly attributes?: Readonly<Record<string, string>> | undefined;
  readonly planId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly reserve?: { readonly ttlMs: number; readonly onExpiry: 'refund' | 'keep' } | undefined;
};

/** The plan of the tenant, or the one that the check chooses, where its key may choose. */
export function rulesFor({ planId }: CheckInput, { key, snapshot }: Caller): Rules {
  if (planId === undefined) return snapshot.rules;
  if (!key.scopes.includes('plan:select')) {
    throw new Denied('scope_missing', 'plan_id: the key needs the scope plan:select');
  }
  const rules = snapshot.rulesOf(planId);
  if (!rules) throw new UnknownPlan();
  return rules;
}

const noAttributes: Readonly<Record<string, string>> = Object.freeze(Object.create(null));

/** What the call says beats what the policy says, unit by unit. */
export function parsedCheckOf(
  input: CheckInput,
  { tenant, keyId }: { readonly tenant: string; readonly keyId: string | null },
  resolution: Resolution,
): ParsedCheck {
  const { cost, costs } = costsFor(input, resolution);
  return {
    resource: resolution.counted,
    subject: input.subject,
    tenant,
    key: keyId,
    cost,
    costs,
    attributes: input.attributes ? grouped(input.attributes) : noAttributes,
    idempotencyKey: input.idempotencyKey ?? null,
    reserve: input.reserve ?? null,
  };
}

export function costsFor(input: CheckInput, resolution: Resolution) {
  const cost = input.cost ?? resolution.cost;
  const given = input.costs;
  if (resolution.maxCost !== null) requireAtMost(resolution.maxCost, input);
  if (given === undefined && resolution.costs === noCosts) return { cost, costs: noCosts };
  // Who asks for nothing at all only looks, whatever the policy says.
  if (input.cost === 0 && Object.values(given ?? {}).every((one) => one === 0)) {
    return { cost: 0, costs: noCosts };
  }
  return { cost, costs: Object.assign(Object.create(null), resolution.costs, given) };
}

function requireAtMost(max: number, { cost = 0, costs = {} }: CheckInput): void {
  const problem = `must be at most ${max} for this resource`;
  if (cost > max) throw new InvalidInput('cost', problem);
  for (const unit in costs) {
    if ((costs[unit] as number) > max) throw new InvalidInput(`costs.${unit}`, problem);
  }
}

function grouped(attributes: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const values: Record<string, string> = Object.create(null);
  for (const name of Object.keys(attributes)) {
    values[name] = addressAttribute(attributes[name] as string);
  }
  return values;
}
