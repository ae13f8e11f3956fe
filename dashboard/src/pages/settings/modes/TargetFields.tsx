import { TenantField } from '../../../components/TenantField.tsx';
import { TextField } from '../../../ui/form/inputs.tsx';
import { fieldsOf, type Scope, type Target } from './mode.ts';

export type TargetText = Readonly<Record<keyof Omit<Target, 'scope'>, string>>;

export const noTarget: TargetText = { tenant_id: '', resource: '', policy_id: '', limit: '' };

/** What the scope asks for. */
export function TargetFields({
  scope,
  target,
  onChange,
}: {
  readonly scope: Scope;
  readonly target: TargetText;
  readonly onChange: (target: TargetText) => void;
}) {
  const has = (field: keyof TargetText) => fieldsOf[scope].includes(field);
  const set = (field: keyof TargetText) => (value: string) =>
    onChange({ ...target, [field]: value });
  return (
    <>
      {has('resource') && (
        <TextField
          label="Resource"
          name="resource"
          placeholder="GET:/search*"
          value={target.resource}
          onChange={set('resource')}
        />
      )}
      {has('limit') && (
        <TextField label="Limit" name="limit" value={target.limit} onChange={set('limit')} />
      )}
      {has('tenant_id') && (
        <TenantField
          value={target.tenant_id}
          none={scope === 'tenant' ? 'Choose a tenant' : 'Any tenant'}
          onChange={set('tenant_id')}
        />
      )}
      {has('policy_id') && (
        <TextField
          label="Policy id"
          name="policy_id"
          optional={scope === 'limit'}
          value={target.policy_id}
          onChange={set('policy_id')}
        />
      )}
    </>
  );
}
