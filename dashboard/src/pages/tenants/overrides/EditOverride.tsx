import type { Tenant } from '../../../api/objects.ts';
import { EditObject } from '../EditObject.tsx';
import { numberFields, type Override } from '../objects.ts';
import { numbersIn, useDefinitions, type Definition } from './definitions.ts';
import type { OwnNumbers } from './NumbersFields.tsx';
import { draftOf, problemsOf, sentOf } from './override-draft.ts';
import { OverrideFields } from './OverrideFields.tsx';

/** Which limit it is of stays: another limit has an override of its own. */
export function EditOverride({
  tenant,
  override,
  onClose,
}: {
  readonly tenant: Tenant;
  readonly override: Override;
  readonly onClose: () => void;
}) {
  const { definitions } = useDefinitions(tenant);
  return (
    <EditObject
      noun="overrides"
      object={override}
      title={`Edit the override of ${override.limit}`}
      touches={['counters']}
      problemsOf={(draft) => problemsOf(draft, override)}
      {...{ draftOf, sentOf, onClose }}
    >
      {(draft, change) => (
        <OverrideFields
          numbers={ownNumbersOf(override, definitions)}
          value={draft}
          onChange={change}
          kept={override}
        />
      )}
    </EditObject>
  );
}

/** Of a limit that is not there any more, or not known yet, those that are overridden. */
function ownNumbersOf(override: Override, definitions: readonly Definition[]): OwnNumbers {
  const { plan_id: planId, policy_id: policyId, limit, numbers } = override;
  const definition = definitions.find(
    ({ limit: { name }, naming }) =>
      name === limit &&
      (planId === null || naming.plan_id === planId) &&
      (policyId === null || naming.policy_id === policyId),
  );
  if (definition) return numbersIn(definition.limit);
  return numberFields.filter((field) => field in numbers).map((field) => [field, null]);
}
