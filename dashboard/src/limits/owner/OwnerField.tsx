import { useWhose, WhoseFields } from './WhoseFields.tsx';

const options = [
  { value: 'all', label: 'All tenants' },
  { value: 'one', label: 'One tenant' },
] as const;

type Kind = (typeof options)[number]['value'];

/** Whom something new is for. */
export function useOwnerChoice() {
  const whose = useWhose<Kind>('all');
  const isShared = whose.kind === 'all';
  const isMissing = !isShared && whose.chosenId === '';
  return {
    whose,
    isShared,
    tenantId: isShared ? null : whose.chosenId,
    // Left out it would be for all tenants, which is the last thing that is meant.
    problems: isMissing ? [{ field: 'tenant_id', problem: 'is needed: name a tenant' }] : [],
  };
}

export function OwnerField({ choice }: { readonly choice: ReturnType<typeof useOwnerChoice> }) {
  return (
    <div className="field-row">
      <WhoseFields label="For" name="owner" ofOne="one" options={options} whose={choice.whose} />
    </div>
  );
}
