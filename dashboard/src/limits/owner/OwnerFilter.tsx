import { useWhose, WhoseFields } from './WhoseFields.tsx';

const options = [
  { value: 'all', label: 'All' },
  { value: 'shared', label: 'Shared by all tenants' },
  { value: 'tenant', label: 'Of one tenant' },
] as const;

type Kind = (typeof options)[number]['value'];

/** What a list is narrowed to: as the API takes it, undefined for everything. */
export function useOwnerFilter() {
  const whose = useWhose<Kind>('all');
  const ids = { all: undefined, shared: 'shared', tenant: whose.chosenId };
  return { whose, isNarrowed: whose.kind !== 'all', tenantId: ids[whose.kind] };
}

export function OwnerFilter({ filter }: { readonly filter: ReturnType<typeof useOwnerFilter> }) {
  return (
    <div className="owner-filter">
      <WhoseFields
        label="Show"
        name="whose"
        ofOne="tenant"
        options={options}
        whose={filter.whose}
      />
    </div>
  );
}
