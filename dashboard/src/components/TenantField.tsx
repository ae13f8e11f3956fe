import './tenants.css';
import { useState } from 'react';
import { Field, type FieldProps } from '../ui/form/Field.tsx';
import type { Tenant } from '../api/objects.ts';
import { shortId, useTenants } from './tenants.ts';

/** A tenant out of the list; where there are many, out of those whose names begin as typed. */
export function TenantField({
  label = 'Tenant',
  name = 'tenant_id',
  hint,
  value,
  none,
  onChange,
}: Partial<FieldProps> & {
  /** The id; empty while none is chosen. */
  readonly value: string;
  /** What it means to choose none. */
  readonly none: string;
  readonly onChange: (id: string) => void;
}) {
  const [prefix, setPrefix] = useState('');
  const tenants = useTenants(prefix);
  const isKnown = value === '' || tenants.items.some(({ id }) => id === value);
  // Names are no keys: two of the same are told apart by their ids.
  const isTwice = (one: Tenant) =>
    tenants.items.some(({ id, name: other }) => other === one.name && id !== one.id);
  return (
    <Field label={label} name={name} {...(hint !== undefined && { hint })}>
      {(wiring) => (
        <div className="tenant-field">
          {(tenants.hasNextPage || prefix !== '') && (
            <input
              type="search"
              aria-label="Names that begin with"
              placeholder="Find by name"
              value={prefix}
              onChange={(event) => setPrefix(event.target.value)}
            />
          )}
          <select {...wiring} value={value} onChange={(event) => onChange(event.target.value)}>
            <option value="">{none}</option>
            {!isKnown && <option value={value}>{value}</option>}
            {tenants.items.map((tenant) => (
              <option key={tenant.id} value={tenant.id}>
                {isTwice(tenant) ? `${tenant.name} (${shortId(tenant.id)})` : tenant.name}
              </option>
            ))}
          </select>
        </div>
      )}
    </Field>
  );
}
