import { useState } from 'react';
import { SelectField } from '../../ui/form/inputs.tsx';
import { useTenantChoice } from './tenant-choice.ts';
import { TenantField } from './TenantField.tsx';

const whose = [
  { value: 'all', label: 'All' },
  { value: 'shared', label: 'Shared by all tenants' },
  { value: 'tenant', label: 'Of one tenant' },
] as const;

export type WhoseFilter = (typeof whose)[number]['value'];

/** What a list is narrowed to: as the API takes it, undefined for everything. */
export function useOwnerFilter() {
  const [value, setValue] = useState<WhoseFilter>('all');
  const choice = useTenantChoice();
  const tenantId = value === 'all' ? undefined : value === 'shared' ? 'shared' : choice.id;
  return { value, setValue, choice, tenantId };
}

export function OwnerFilter({ filter }: { readonly filter: ReturnType<typeof useOwnerFilter> }) {
  return (
    <div className="owner-filter">
      <SelectField
        label="Show"
        name="whose"
        value={filter.value}
        options={whose}
        onChange={filter.setValue}
      />
      {filter.value === 'tenant' && <TenantField choice={filter.choice} />}
    </div>
  );
}
