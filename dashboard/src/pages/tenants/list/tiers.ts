import { useList } from '../../../api/queries.ts';
import type { Plan } from '../../../api/objects.ts';
import { useMay } from '../may.ts';

/** Those that overload knows, the first to be refused first. */
const ranked = ['free', 'starter', 'business', 'enterprise'];
const plansMax = 200;

/** Tiers are words of one's own; these are known, and those that shared plans are named after. */
export function useTiers(): readonly string[] {
  const shared = useSharedPlans();
  return [...new Set([...ranked, ...shared.map(({ name }) => name)])];
}

export function useSharedPlans(): readonly Plan[] {
  const { isPlatform } = useMay();
  return useList<Plan>('plans', { tenant_id: 'shared', limit: plansMax }, { enabled: isPlatform })
    .items;
}
