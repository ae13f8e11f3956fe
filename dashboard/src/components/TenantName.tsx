import './tenants.css';
import { Link } from 'wouter';
import { useObject } from '../api/queries.ts';
import type { Tenant } from '../api/objects.ts';
import { shortId } from './tenants.ts';

/** A tenant by its name, with the way to it; by its id until that is known. */
export function TenantName({
  id,
  withId = false,
}: {
  readonly id: string;
  /** Where its name alone does not tell it from others. */
  readonly withId?: boolean;
}) {
  const { data } = useObject<Tenant>('tenants', id);
  if (!data) return <span className="mono">{shortId(id)}</span>;
  return (
    <>
      <Link href={`/tenants/${id}`}>{data.name}</Link>
      {withId && <span className="mono quiet tenant-mark"> {shortId(id)}</span>}
    </>
  );
}
