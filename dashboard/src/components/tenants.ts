import { useQueries } from '@tanstack/react-query';
import { objectQuery, useList } from '../api/queries.ts';
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

/** Those of them that share their name with another: names are no keys. */
export function useNamesakes(ids: readonly string[]): ReadonlySet<string> {
  const queries = [...new Set(ids)].map((id) => objectQuery<Tenant>('tenants', id));
  const tenants = useQueries({ queries }).flatMap(({ data }) => data ?? []);
  const isTwice = (one: Tenant) =>
    tenants.some(({ id, name }) => name === one.name && id !== one.id);
  return new Set(tenants.filter(isTwice).map(({ id }) => id));
}

/** As much of an id as tells it from others. */
export function shortId(id: string): string {
  return id.length > 13 ? `…${id.slice(-8)}` : id;
}
