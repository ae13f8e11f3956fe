import type { CanonicalLimit } from 'sluice/contract';
import { useList } from '../../../api/queries.ts';
import type { Tenant } from '../../../api/objects.ts';
import { usePlanOf } from '../plan-of.ts';
import { numberFields, type NumberField, type Policy } from '../objects.ts';

/** A limit that the tenant can be under, and who defines it. */
export type Definition = {
  /** Tells it from others of the same name. */
  readonly id: string;
  readonly label: string;
  readonly limit: CanonicalLimit;
  readonly naming: { readonly plan_id?: string; readonly policy_id?: string };
};

const policiesMax = 200;

/** The limits of its plan, and those of policies that are its own or for all. */
export function useDefinitions(tenant: Tenant): {
  readonly definitions: readonly Definition[];
  readonly isLoading: boolean;
} {
  const { plan, isLoading } = usePlanOf(tenant);
  const own = useList<Policy>('policies', { tenant_id: tenant.id, limit: policiesMax });
  const shared = useList<Policy>('policies', { tenant_id: 'shared', limit: policiesMax });
  const ofPlan = (plan?.limits ?? []).map((limit) => ({
    id: `plan ${limit.name}`,
    label: `${limit.name} (plan ${plan?.name})`,
    limit,
    naming: { plan_id: plan?.id ?? '' },
  }));
  const ofPolicies = [...own.items, ...shared.items].flatMap(({ id, resource, limits }) =>
    limits.map((limit) => ({
      id: `${id} ${limit.name}`,
      label: `${limit.name} (policy ${resource})`,
      limit,
      naming: { policy_id: id },
    })),
  );
  return {
    definitions: [...ofPlan, ...ofPolicies],
    isLoading: isLoading || own.isPending || shared.isPending,
  };
}

/** Who defines it is said only where its name alone does not: it then follows the tenant's plan. */
export function namingOf({ limit, naming }: Definition, all: readonly Definition[]) {
  const isAmbiguous = all.filter((one) => one.limit.name === limit.name).length > 1;
  return { limit: limit.name, ...(isAmbiguous && naming) };
}

/** The numbers that the limit has, and that can be others. */
export function numbersIn(limit: CanonicalLimit): readonly [NumberField, number][] {
  const fields = limit as Readonly<Partial<Record<NumberField, number>>>;
  return numberFields.flatMap((field): [NumberField, number][] => {
    const value = fields[field];
    return value === undefined ? [] : [[field, value]];
  });
}
