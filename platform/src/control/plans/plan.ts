import type { Selectable } from 'kysely';
import { InvalidInput } from 'sluice';
import { type CanonicalLimit, planFromWire, requirePatterns } from 'sluice/contract';
import type { PlansTable } from '../../database/tables.ts';
import { refuseGlobal } from '../global-limits.ts';
import { isoOf } from '../rows.ts';

export type Plan = {
  readonly id: string;
  /** Null: shared by all tenants. */
  readonly tenant_id: string | null;
  readonly name: string;
  readonly limits: readonly CanonicalLimit[];
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
};

/** `name` and `limits`, or the fields of the only limit in place of `limits`. */
export type PlanInput = Readonly<Record<string, unknown>>;

export function parsePlan(input: PlanInput): Pick<Plan, 'name' | 'limits'> {
  const { name, limits } = planFromWire(input);
  requirePatterns(limits);
  refuseGlobal(limits);
  return { name, limits };
}

/**
 * The plan that a patch asks for, to be parsed like a new one. Fields of a limit change the only
 * limit of a plan; another algorithm has other numbers, so it starts from none.
 */
export function patchedPlan({ name, limits }: Plan, patch: PlanInput): PlanInput {
  const { name: newName = name, limits: newLimits, ...fields } = patch;
  if ('template' in fields) throw new InvalidInput('template', 'is for a new plan; give limits');
  if ('tenant_id' in fields) throw new InvalidInput('tenant_id', 'can not be changed');
  const [named] = Object.keys(fields);
  if (named === undefined || newLimits !== undefined) {
    return { name: newName, limits: newLimits ?? limits, ...fields };
  }
  const [only, ...others] = limits;
  if (only === undefined || others.length > 0) {
    throw new InvalidInput(
      named,
      `belongs to a limit, and this plan has ${limits.length}; give all of them as limits`,
    );
  }
  const { algorithm = only.algorithm } = fields;
  const base = algorithm === only.algorithm ? only : { name: only.name };
  return { name: newName, limits: [{ ...base, ...fields }] };
}

export function planOf(row: Selectable<PlansTable>): Plan {
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    name: row.name,
    limits: row.limits as readonly CanonicalLimit[],
    version: row.version,
    created_at: isoOf(row.created_at),
    updated_at: isoOf(row.updated_at),
  };
}
