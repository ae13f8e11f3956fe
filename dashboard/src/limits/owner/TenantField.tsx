import { useId } from 'react';
import { TextField } from '../../ui/form/inputs.tsx';
import type { TenantChoice } from './tenant-choice.ts';

export function TenantField({
  choice,
  label = 'Tenant',
}: {
  readonly choice: TenantChoice;
  readonly label?: string;
}) {
  const id = useId();
  const isUnknown = choice.text !== '' && choice.id === null;
  return (
    <>
      <TextField
        label={label}
        name="tenant_id"
        list={id}
        value={choice.text}
        onChange={choice.setText}
        placeholder="acme"
        hint={isUnknown ? 'No tenant of this name yet: go on typing.' : 'By name or id.'}
      />
      <datalist id={id}>
        {choice.tenants.map((tenant) => (
          <option key={tenant.id}>{tenant.name}</option>
        ))}
      </datalist>
    </>
  );
}
