import { useList } from '../../api/queries.ts';
import type { Plan } from '../../api/objects.ts';
import { NumberField, SelectField, TextField } from '../../ui/form/inputs.tsx';
import { useSharedPlans, useTiers } from './list/tiers.ts';
import type { Pool } from './objects.ts';
import { SuggestField } from './SuggestField.tsx';
import type { TenantDraft } from './tenant-draft.ts';

const timezones = ['UTC', ...Intl.supportedValuesOf('timeZone')];

/** What a tenant is made of, for who runs the platform. */
export function TenantFields({
  value,
  onChange,
  tenantId,
}: {
  readonly value: TenantDraft;
  readonly onChange: (value: TenantDraft) => void;
  /** Whose own plans may be chosen; null while there is no such tenant. */
  readonly tenantId: string | null;
}) {
  const change = (field: keyof TenantDraft) => (text: string) =>
    onChange({ ...value, [field]: text });
  const pools = useList<Pool>('pools').items.map(({ name }) => ({ value: name, label: name }));
  return (
    <>
      <TextField
        label="Name"
        name="name"
        maxLength={200}
        value={value.name}
        onChange={change('name')}
      />
      <div className="field-row">
        <SuggestField
          label="Tier"
          name="tier"
          maxLength={64}
          suggestions={useTiers()}
          value={value.tier}
          onChange={change('tier')}
          hint="Names its plan and pool, and who is refused last under overload."
        />
        <SelectField
          label="Plan"
          name="plan_id"
          value={value.plan_id}
          options={[{ value: '', label: 'The plan of its tier' }, ...usePlanOptions(tenantId)]}
          onChange={change('plan_id')}
        />
      </div>
      <div className="field-row">
        <SuggestField
          label="Time zone"
          name="timezone"
          maxLength={64}
          suggestions={timezones}
          value={value.timezone}
          onChange={change('timezone')}
          hint="Days and months of quotas are those of this place."
        />
        <NumberField
          label="Billing anchor day"
          name="billing_anchor_day"
          inputMode="numeric"
          maxLength={2}
          value={value.billing_anchor_day}
          onChange={change('billing_anchor_day')}
          hint="Monthly quotas begin on this day, 1 to 31."
        />
      </div>
      {(pools.length > 0 || value.pool !== '') && (
        <SelectField
          label="Pool"
          name="pool"
          value={value.pool}
          options={[{ value: '', label: 'The pool of its tier' }, ...pools]}
          onChange={change('pool')}
        />
      )}
    </>
  );
}

function usePlanOptions(tenantId: string | null) {
  const own = useList<Plan>('plans', { tenant_id: tenantId }, { enabled: tenantId !== null }).items;
  const shared = useSharedPlans();
  return [
    ...own.map(({ id, name }) => ({ value: id, label: `${name} (its own)` })),
    ...shared.map(({ id, name }) => ({ value: id, label: name })),
  ];
}
