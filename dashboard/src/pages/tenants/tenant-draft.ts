import type { Tenant } from '../../api/objects.ts';
import { numberOf } from '../../ui/form/inputs.tsx';

/** A tenant as it is typed. An empty plan or pool is that of its tier. */
export type TenantDraft = {
  readonly name: string;
  readonly tier: string;
  readonly plan_id: string;
  readonly pool: string;
  readonly timezone: string;
  readonly billing_anchor_day: string;
};

export function draftOf(tenant: Tenant | null): TenantDraft {
  return {
    name: tenant?.name ?? '',
    tier: tenant?.tier ?? 'free',
    plan_id: tenant?.plan_id ?? '',
    pool: tenant?.pool ?? '',
    timezone: tenant?.timezone ?? 'UTC',
    billing_anchor_day: String(tenant?.billing_anchor_day ?? 1),
  };
}

/** What differs from what was loaded; of a new one everything. */
export function sentOf(
  draft: TenantDraft,
  before: Tenant | null,
): Readonly<Record<string, unknown>> {
  const loaded = before && draftOf(before);
  const values = {
    name: draft.name.trim(),
    tier: draft.tier.trim(),
    plan_id: draft.plan_id || null,
    pool: draft.pool || null,
    timezone: draft.timezone.trim(),
    billing_anchor_day: numberOf(draft.billing_anchor_day),
  };
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => {
      const field = name as keyof TenantDraft;
      return loaded?.[field] !== draft[field];
    }),
  );
}
