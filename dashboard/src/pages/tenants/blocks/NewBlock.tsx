import { useState } from 'react';
import { useChange } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { SelectField, TextField } from '../../../ui/form/inputs.tsx';
import { EndingField } from '../EndingField.tsx';
import { endingIn, expiryOf } from '../lifetime.ts';
import { useMay } from '../may.ts';
import type { Block } from '../objects.ts';

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

const actions = [
  { value: 'block', label: 'Block: refuse every check' },
  { value: 'bypass', label: 'Bypass: let through whatever the limits say' },
] as const;

export function NewBlock({
  tenantId,
  onClose,
}: {
  readonly tenantId: string;
  readonly onClose: () => void;
}) {
  const { isPlatform } = useMay();
  const [way, setWay] = useState<Way>('subject');
  const [who, setWho] = useState('');
  const [action, setAction] = useState<Block['action']>('block');
  const [ending, setEnding] = useState(endingIn('day'));
  const [reason, setReason] = useState('');
  const making = useChange({
    run: () => {
      const expiry = expiryOf(ending);
      const body = { tenant_id: tenantId, [way]: who.trim(), action, reason, expires_at: expiry };
      return admin<Block>('POST', 'blocks', { body });
    },
    touches: ['blocks'],
    done: () =>
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
        {isPlatform && (
          <SelectField
            label="What"
            name="action"
            value={action}
            options={actions}
            onChange={setAction}
          />
        )}
        <EndingField value={ending} onChange={setEnding} />
        <TextField label="Why" name="reason" maxLength={500} value={reason} onChange={setReason} />
      </Form>
    </Dialog>
  );
}
