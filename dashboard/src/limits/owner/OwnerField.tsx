import { useState } from 'react';
import { SelectField } from '../../ui/form/inputs.tsx';
import { useTenantChoice } from './tenant-choice.ts';
import { TenantField } from './TenantField.tsx';

const owners = [
  { value: 'all', label: 'All tenants' },
  { value: 'one', label: 'One tenant' },
] as const;

/** Whom something new is for. */
export function useOwnerChoice() {
  const [owner, setOwner] = useState<'all' | 'one'>('all');
  const tenant = useTenantChoice();
  const isMissing = owner === 'one' && tenant.id === null;
  return {
    owner,
    setOwner,
    tenant,
    tenantId: owner === 'all' ? null : tenant.id,
    // Left out it would be for all tenants, which is the last thing that is meant.
    problems: isMissing ? [{ field: 'tenant_id', problem: 'is needed: name a tenant' }] : [],
  };
}

export function OwnerField({ choice }: { readonly choice: ReturnType<typeof useOwnerChoice> }) {
  return (
    <div className="field-row">
      <SelectField
        label="For"
        name="owner"
        value={choice.owner}
        options={owners}
        onChange={choice.setOwner}
      />
      {choice.owner === 'one' && <TenantField choice={choice.tenant} />}
    </div>
  );
}
