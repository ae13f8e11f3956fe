import { useState } from 'react';
import { useChange } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { SelectField, TextField } from '../../../ui/form/inputs.tsx';
import type { Block } from '../objects.ts';
import { noDraft, sentOf } from './block-draft.ts';
import { BlockFields } from './BlockFields.tsx';

const ways = [
  { value: 'subject', label: 'Subject' },
  { value: 'ip', label: 'Address or range' },
  { value: 'key_id', label: 'Key, by its id' },
] as const;
type Way = (typeof ways)[number]['value'];

const examples: Readonly<Record<Way, string>> = {
  subject: 'user:42',
  ip: '203.0.113.0/24',
  key_id: 'as in the list of keys',
};

export function NewBlock({
  tenantId,
  onClose,
}: {
  readonly tenantId: string;
  readonly onClose: () => void;
}) {
  const [way, setWay] = useState<Way>('subject');
  const [who, setWho] = useState('');
  const [draft, setDraft] = useState(noDraft);
  const making = useChange({
    run: () => {
      const body = { tenant_id: tenantId, [way]: who.trim(), ...sentOf(draft) };
      return admin<Block>('POST', 'blocks', { body });
    },
    touches: ['blocks'],
    done: ({ action }) =>
      `${who.trim()} is ${action === 'block' ? 'refused' : 'let through'} from the next check on.`,
  });
  return (
    <Dialog title="New block" onClose={onClose}>
      <Form
        submit="Make block"
        busy={making.isPending}
        error={making.error}
        onSubmit={() => making.mutateAsync(undefined).then(onClose, () => {})}
        onCancel={onClose}
      >
        <div className="field-row">
          <SelectField label="By" name="way" value={way} options={ways} onChange={setWay} />
          <TextField
            label="Who"
            name={way}
            maxLength={1024}
            placeholder={examples[way]}
            value={who}
            onChange={setWho}
          />
        </div>
        <BlockFields value={draft} onChange={(part) => setDraft({ ...draft, ...part })} />
      </Form>
    </Dialog>
  );
}
