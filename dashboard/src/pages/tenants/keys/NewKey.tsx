import { useState } from 'react';
import { useChange } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { SecretMade } from '../../../ui/dialog/SecretMade.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { TextField } from '../../../ui/form/inputs.tsx';
import { EndingField } from '../EndingField.tsx';
import { endingIn, expiryOf } from '../lifetime.ts';
import type { KeyScope, NewApiKey } from '../objects.ts';
import { ScopeFields } from './ScopeFields.tsx';

const scopesDefault: readonly KeyScope[] = ['check', 'settle', 'usage'];
const endings = ['month', 'quarter', 'year', 'at', 'never'];

/** First what it may, then the key itself, once. */
export function NewKey({
  tenantId,
  onClose,
}: {
  readonly tenantId: string;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState(scopesDefault);
  const [ending, setEnding] = useState(endingIn('never'));
  const making = useChange({
    run: () => {
      const expiry = expiryOf(ending);
      const body = { tenant_id: tenantId, name: name.trim(), scopes, expires_at: expiry };
      return admin<NewApiKey>('POST', 'keys', { body });
    },
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
          <TextField
            label="Name"
            name="name"
            maxLength={200}
            value={name}
            onChange={setName}
            hint="Who or what uses it, such as “checkout, production”."
          />
          <ScopeFields value={scopes} onChange={setScopes} />
          <EndingField value={ending} onChange={setEnding} choices={endings} />
        </Form>
      )}
    </Dialog>
  );
}
