import { useObject } from '../api/queries.ts';
import type { Tenant } from '../api/objects.ts';
import { shortId } from './tenants.ts';

/** What a tenant is called, where the way to it is not the point. */
export function TenantText({ id }: { readonly id: string }) {
  const { data } = useObject<Tenant>('tenants', id);
  return data ? data.name : <span className="mono">{shortId(id)}</span>;
}
