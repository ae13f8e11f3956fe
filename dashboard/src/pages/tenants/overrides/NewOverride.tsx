import { useState } from 'react';
import { useChange } from '../../../api/queries.ts';
import type { Tenant } from '../../../api/objects.ts';
import { admin } from '../../../api/request.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { numberOf, SelectField, TextField } from '../../../ui/form/inputs.tsx';
import { Empty } from '../../../ui/States.tsx';
import { EndingField } from '../EndingField.tsx';
import { expiryOf } from '../lifetime.ts';
import type { Override } from '../objects.ts';
import { namingOf, useDefinitions, type Definition } from './definitions.ts';
import { noDraft, problemsOf, type OverrideDraft } from './override-draft.ts';
import { attributesIn } from './override-words.ts';
import { NumbersFields } from './NumbersFields.tsx';
import { WhomFields } from './WhomFields.tsx';

export function NewOverride({
  tenant,
  onClose,
}: {
  readonly tenant: Tenant;
  readonly onClose: () => void;
}) {
  const definitions = useDefinitions(tenant);
  const [draft, setDraft] = useState<OverrideDraft>(noDraft);
  const chosen = definitions.find(({ id }) => id === draft.limitId) ?? definitions[0];
  const change = (part: Partial<OverrideDraft>) => setDraft({ ...draft, ...part });
  const making = useChange({
    run: (definition: Definition) => {
      const body = { tenant_id: tenant.id, ...namingOf(definition, definitions), ...sentOf(draft) };
      return admin<Override>('POST', 'overrides', { body });
    },
    touches: ['overrides', 'counters'],
    done: ({ limit }) => `${limit} has other numbers from the next check on.`,
  });
  if (!chosen) {
    return (
      <Dialog title="New override" onClose={onClose}>
        <Empty icon="plan" title="No limit to override">
          Put the tenant on a plan first, or give it a policy.
        </Empty>
      </Dialog>
    );
  }
  return (
    <Dialog title="New override" onClose={onClose}>
      <Form
        submit="Make override"
        busy={making.isPending}
        error={making.error}
        found={problemsOf(draft)}
        onSubmit={() => making.mutateAsync(chosen).then(onClose, () => {})}
        onCancel={onClose}
      >
        <SelectField
          label="Limit"
          name="limit"
          value={chosen.id}
          options={definitions.map(({ id, label }) => ({ value: id, label }))}
          onChange={(limitId) => change({ limitId, numbers: {} })}
        />
        <NumbersFields
          limit={chosen.limit}
          value={draft.numbers}
          onChange={(numbers) => change({ numbers })}
        />
        <WhomFields value={draft} onChange={change} />
        <EndingField value={draft.ending} onChange={(ending) => change({ ending })} />
        <TextField
          label="Why"
          name="reason"
          maxLength={500}
          value={draft.reason}
          onChange={(reason) => change({ reason })}
          hint="For whoever finds it later."
        />
      </Form>
    </Dialog>
  );
}

function sentOf({ numbers, resource, subject, attributes, ending, reason }: OverrideDraft) {
  const typed = Object.entries(numbers).map(([field, text]) => [field, numberOf(text)] as const);
  return {
    numbers: Object.fromEntries(typed.filter(([, value]) => value !== undefined)),
    resource: resource.trim() || null,
    subject: subject || null,
    attributes: attributesIn(attributes) ?? {},
    expires_at: expiryOf(ending),
    reason: reason.trim(),
  };
}
