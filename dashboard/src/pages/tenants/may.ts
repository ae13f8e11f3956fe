import { useSession } from '../../session/session.ts';

/** What the token may change of a tenant. Hides controls only: the service decides. */
export function useMay() {
  const { canWrite, tenantId } = useSession();
  const isPlatform = tenantId === null;
  return {
    isPlatform,
    /** Keys, blocks, the name: what limits nobody. */
    changeOwn: canWrite,
    /** What the tenant is limited by: a tenant's own token never may. */
    changeLimits: canWrite && isPlatform,
  };
}
