import type { Query } from '../../api/request.ts';
import { useSession } from '../../session/session.ts';
import { TenantField } from '../../components/TenantField.tsx';
import { SelectField, TextField } from '../../ui/form/inputs.tsx';
import { nouns } from './entry.ts';

export type Filters = {
  readonly tenantId: string;
  readonly noun: string;
  readonly actor: string;
  readonly objectId: string;
  /** Days, as the browser's field has them. */
  readonly from: string;
  readonly to: string;
};

export const noFilters: Filters = {
  tenantId: '',
  noun: '',
  actor: '',
  objectId: '',
  from: '',
  to: '',
};

export function queryOf({ tenantId, noun, actor, objectId, from, to }: Filters): Query {
  return {
    tenant_id: tenantId,
    noun,
    actor: actor.trim(),
    object_id: objectId.trim(),
    from: dayStart(from, 0),
    to: dayStart(to, 1),
  };
}

/** When a day begins here, or the one after it. */
function dayStart(day: string, daysLater: number): string {
  if (day === '') return '';
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + daysLater);
  return date.toISOString();
}

const nounOptions = [
  { value: '', label: 'Everything' },
  ...Object.keys(nouns).map((value) => ({ value, label: value })),
];

export function AuditFilters({
  filters,
  onChange,
}: {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}) {
  const { tenantId: ownId } = useSession();
  const set = (name: keyof Filters) => (value: string) => onChange({ ...filters, [name]: value });
  return (
    <div className="filters filters-inset" role="search" aria-label="Filter changes">
      {ownId === null && (
        <TenantField value={filters.tenantId} none="All tenants" onChange={set('tenantId')} />
      )}
      <SelectField
        label="What"
        name="noun"
        value={filters.noun}
        options={nounOptions}
        onChange={set('noun')}
      />
      <TextField
        label="By"
        name="actor"
        placeholder="Token id"
        value={filters.actor}
        onChange={set('actor')}
      />
      <TextField
        label="Object"
        name="object_id"
        placeholder="Id"
        value={filters.objectId}
        onChange={set('objectId')}
      />
      <TextField label="From" name="from" type="date" value={filters.from} onChange={set('from')} />
      <TextField label="To" name="to" type="date" value={filters.to} onChange={set('to')} />
    </div>
  );
}
