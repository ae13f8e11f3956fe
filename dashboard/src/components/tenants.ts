import { useList } from '../api/queries.ts';
import type { Tenant } from '../api/objects.ts';

const shownMax = 200;

/** The first tenants by name, or those whose names begin like this. */
export function useTenants(prefix = '', enabled = true) {
  return useList<Tenant>('tenants', { limit: shownMax, name_prefix: prefix }, { enabled });
}

/** What a tenant is called; of one that is not among the first, its id. */
export function useTenantName(): (id: string) => string {
  const { items } = useTenants();
  const names = new Map(items.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? shortId(id);
}

/** As much of an id as tells it from others. */
export function shortId(id: string): string {
  return id.length > 13 ? `…${id.slice(-8)}` : id;
}
