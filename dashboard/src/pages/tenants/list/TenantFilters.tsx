import { Filters, type Filter } from '../../../ui/form/Filters.tsx';
import { useTiers } from './tiers.ts';

/** As the API calls them; empty is any. */
export type TenantFilter = {
  readonly name_prefix: string;
  readonly tier: string;
  readonly status: string;
};

export const noFilter: TenantFilter = { name_prefix: '', tier: '', status: '' };

const statuses = [
  { value: '', label: 'Any status' },
  { value: 'active', label: 'Active' },
  { value: 'suspended', label: 'Suspended' },
];

export function TenantFilters({
  value,
  onChange,
}: {
  readonly value: TenantFilter;
  readonly onChange: (value: TenantFilter) => void;
}) {
  const tiers = useTiers().map((tier) => ({ value: tier, label: tier }));
  const filters: readonly Filter<TenantFilter>[] = [
    { name: 'name_prefix', label: 'Name starts with', maxLength: 200 },
    { name: 'tier', label: 'Tier', options: [{ value: '', label: 'Any tier' }, ...tiers] },
    { name: 'status', label: 'Status', options: statuses },
  ];
  return <Filters label="Tenants" {...{ filters, value, onChange }} />;
}
