import { useState } from 'react';
import { useChange } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { SecretMade } from '../../../ui/dialog/SecretMade.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import type { NewApiKey } from '../objects.ts';
import { noDraft, sentOf } from './key-draft.ts';
import { KeyFields } from './KeyFields.tsx';

/** First what it may, then the key itself, once. */
export function NewKey({
  tenantId,
  onClose,
}: {
  readonly tenantId: string;
  readonly onClose: () => void;
}) {
  const [draft, setDraft] = useState(noDraft);
  const making = useChange({
    run: () =>
      admin<NewApiKey>('POST', 'keys', { body: { tenant_id: tenantId, ...sentOf(draft) } }),
    touches: ['keys'],
  });
  return (
    <Dialog title={making.data ? `Key ${making.data.name}` : 'New key'} onClose={onClose}>
      {making.data ? (
        <SecretMade label="The key" secret={making.data.key} onClose={onClose} />
      ) : (
        <Form
          submit="Make key"
          busy={making.isPending}
          error={making.error}
          onSubmit={() => making.mutate(undefined)}
          onCancel={onClose}
        >
          <KeyFields value={draft} onChange={(part) => setDraft({ ...draft, ...part })} />
        </Form>
      )}
    </Dialog>
  );
}
