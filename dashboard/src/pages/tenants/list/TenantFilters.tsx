import { SelectField, TextField } from '../../../ui/form/inputs.tsx';
import { useTiers } from './tiers.ts';

/** As the API calls them; empty is any. */
export type Filters = {
  readonly name_prefix: string;
  readonly tier: string;
  readonly status: string;
};

export const noFilters: Filters = { name_prefix: '', tier: '', status: '' };

const statuses = [
  { value: '', label: 'Any status' },
  { value: 'active', label: 'Active' },
  { value: 'suspended', label: 'Suspended' },
];

export function TenantFilters({
  value,
  onChange,
}: {
  readonly value: Filters;
  readonly onChange: (value: Filters) => void;
}) {
  const tiers = useTiers().map((tier) => ({ value: tier, label: tier }));
  return (
    <search className="tenant-filters" aria-label="Tenants">
      <TextField
        label="Name starts with"
        name="name_prefix"
        type="search"
        maxLength={200}
        value={value.name_prefix}
        onChange={(name_prefix) => onChange({ ...value, name_prefix })}
      />
      <SelectField
        label="Tier"
        name="tier"
        value={value.tier}
        options={[{ value: '', label: 'Any tier' }, ...tiers]}
        onChange={(tier) => onChange({ ...value, tier })}
      />
      <SelectField
        label="Status"
        name="status"
        value={value.status}
        options={statuses}
        onChange={(status) => onChange({ ...value, status })}
      />
    </search>
  );
}
