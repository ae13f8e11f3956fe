import { TenantName } from '../../components/TenantName.tsx';
import { useSession } from '../../session/session.ts';
import { Badge } from '../../ui/Badge.tsx';

/** Whose something is: one tenant's, or shared by all. */
export function Owner({ tenantId }: { readonly tenantId: string | null }) {
  const session = useSession();
  if (tenantId === null) return <Badge tone="accent">All tenants</Badge>;
  // A tenant sees no other than itself.
  return session.tenantId === null ? <TenantName id={tenantId} /> : <>my tenant</>;
}
