import { useSession } from '../session/session.ts';

/** What tenants are limited by, only the platform changes. Hides controls: the service decides. */
export function useMayWrite(): boolean {
  const { canWrite, tenantId } = useSession();
  return canWrite && tenantId === null;
}
