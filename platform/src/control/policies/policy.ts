import type { Selectable } from 'kysely';
import { InvalidInput } from 'sluice';
import { policyFromWire, requirePattern, requirePatterns, type WirePolicy } from 'sluice/contract';
import type { PoliciesTable } from '../../database/tables.ts';
import { refuseGlobal } from '../global-limits.ts';
import { isoOf } from '../rows.ts';

export type Policy = WirePolicy & {
  readonly id: string;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
};

/** Fields of a policy as the API spells them. */
export type PolicyInput = Readonly<Record<string, unknown>>;

/** Everything a policy says, whether just written or patched into what it said before. */
export function parsePolicy(input: PolicyInput): WirePolicy {
  const policy = policyFromWire(input);
  requirePattern('resource', policy.resource);
  requirePatterns(policy.limits);
  if (policy.tenant_id !== null) refuseGlobal(policy.limits);
  const { max_cost: max } = policy;
  const above = Object.entries(policy.costs).find(([, cost]) => max !== null && cost > max);
  if (above) throw new InvalidInput(`costs.${above[0]}`, 'must not be above max_cost');
  return policy;
}

/** The policy that a patch asks for, to be parsed like a new one. */
export function patchedPolicy(before: Policy, patch: PolicyInput): PolicyInput {
  const { id: _, version: __, created_at: ___, updated_at: ____, ...fields } = before;
  return { ...fields, ...patch };
}

export function policyOf(row: Selectable<PoliciesTable>): Policy {
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    resource: row.resource,
    cost: row.cost,
    costs: row.costs,
    max_cost: row.max_cost,
    limits: row.limits as WirePolicy['limits'],
    mode: row.mode as WirePolicy['mode'],
    version: row.version,
    created_at: isoOf(row.created_at),
    updated_at: isoOf(row.updated_at),
  };
}
