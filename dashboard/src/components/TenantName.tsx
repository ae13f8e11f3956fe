import { Link } from 'wouter';
import { useObject } from '../api/queries.ts';
import type { Tenant } from '../api/objects.ts';

/** A tenant by its name, with the way to it; by its id until that is known. */
export function TenantName({ id }: { readonly id: string }) {
  const { data } = useObject<Tenant>('tenants', id);
  if (!data) return <span className="mono">{id.slice(0, 8)}</span>;
  return <Link href={`/tenants/${id}`}>{data.name}</Link>;
}
