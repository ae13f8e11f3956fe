import { useState } from 'react';
import { useChange } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { SelectField } from '../../../ui/form/inputs.tsx';
import type { Override } from '../objects.ts';
import { namingOf, numbersIn, type Definition } from './definitions.ts';
import { noDraft, problemsOf, sentOf, type OverrideDraft } from './override-draft.ts';
import { OverrideFields } from './OverrideFields.tsx';

export function OverrideForm({
  tenantId,
  definitions,
  first,
  onClose,
}: {
  readonly tenantId: string;
  readonly definitions: readonly Definition[];
  /** Of these; chosen until another is. */
  readonly first: Definition;
  readonly onClose: () => void;
}) {
  const [draft, setDraft] = useState<OverrideDraft>(noDraft);
  const [limitId, setLimitId] = useState(first.id);
  const chosen = definitions.find(({ id }) => id === limitId) ?? first;
  const problems = problemsOf(draft);
  const change = (part: Partial<OverrideDraft>) => setDraft({ ...draft, ...part });
  const making = useChange({
    run: () => {
      const body = { tenant_id: tenantId, ...namingOf(chosen, definitions), ...sentOf(draft) };
      return admin<Override>('POST', 'overrides', { body });
    },
    touches: ['overrides', 'counters'],
    done: ({ limit, status }) =>
      `${limit} has other numbers ${status === 'scheduled' ? 'once it starts' : 'from the next check on'}.`,
  });
  // Without what can't be read it would be for everybody.
  const send = () => problems.length === 0 && making.mutateAsync(undefined).then(onClose, () => {});
  return (
    <Form
      submit="Make override"
      busy={making.isPending}
      error={making.error}
      found={problems}
      onSubmit={send}
      onCancel={onClose}
    >
      <SelectField
        label="Limit"
        name="limit"
        value={chosen.id}
        options={definitions.map(({ id, label }) => ({ value: id, label }))}
        onChange={(id) => {
          setLimitId(id);
          change({ numbers: {} });
        }}
      />
      <OverrideFields numbers={numbersIn(chosen.limit)} value={draft} onChange={change} />
    </Form>
  );
}
