import type { Tenant } from '../../api/objects.ts';
import { useObject } from '../../api/queries.ts';
import { Badge } from '../../ui/Badge.tsx';

/** Whose something is: one tenant's, or shared by all. */
export function Owner({ tenantId }: { readonly tenantId: string | null }) {
  const { data } = useObject<Tenant>('tenants', tenantId);
  if (tenantId === null) return <Badge tone="accent">All tenants</Badge>;
  return <span>{data?.name ?? <span className="mono">{tenantId}</span>}</span>;
}
