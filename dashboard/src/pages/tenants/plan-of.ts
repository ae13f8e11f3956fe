import { useObject } from '../../api/queries.ts';
import type { Page, Plan, Tenant } from '../../api/objects.ts';

/** The plan a tenant is on: its own choice, else the shared one that is named after its tier. */
export function usePlanOf({ plan_id: planId, tier }: Pick<Tenant, 'plan_id' | 'tier'>): {
  readonly plan: Plan | null;
  readonly isLoading: boolean;
} {
  const chosen = useObject<Plan>('plans', planId);
  const ofTier = useObject<Page<Plan>>('plans', planId === null ? '' : null, {
    tenant_id: 'shared',
    name: tier,
  });
  return planId === null
    ? { plan: ofTier.data?.items[0] ?? null, isLoading: ofTier.isPending }
    : { plan: chosen.data ?? null, isLoading: chosen.isPending };
}
