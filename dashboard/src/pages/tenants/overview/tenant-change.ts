import { useChange } from '../../../api/queries.ts';
import type { Published, Tenant } from '../../../api/objects.ts';
import { admin } from '../../../api/request.ts';

type Patch = Readonly<Record<string, unknown>>;

/** A change of some fields; another plan changes what limits there are. */
export function useTenantChange(tenant: Tenant, done: (after: Tenant) => string) {
  return useChange<Patch, Tenant & Published>({
    run: (patch) =>
      admin('PATCH', `tenants/${tenant.id}`, { body: { ...patch, version: tenant.version } }),
    touches: ['tenants', 'counters', 'quotas'],
    done,
  });
}
