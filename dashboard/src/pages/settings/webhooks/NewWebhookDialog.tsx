import { useState } from 'react';
import { useChange } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { useSession } from '../../../session/session.ts';
import { TenantField } from '../../../components/TenantField.tsx';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { SecretMade } from '../../../ui/dialog/SecretMade.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { TextField } from '../../../ui/form/inputs.tsx';

/** All that there are. */
const events = ['quota.threshold'];

/** Makes a webhook, and shows what it signs with this once. */
export function NewWebhookDialog({ onClose }: { readonly onClose: () => void }) {
  const { tenantId: ownId } = useSession();
  const [url, setUrl] = useState('');
  const [tenantId, setTenantId] = useState(ownId ?? '');
  const make = useChange({
    run: () =>
      admin<{ readonly secret: string }>('POST', 'webhooks', {
        body: { url, events, tenant_id: tenantId === '' ? null : tenantId },
      }),
    touches: ['webhooks', 'audit'],
  });
  return (
    <Dialog title={make.data ? 'Webhook made' : 'New webhook'} onClose={onClose}>
      {make.data ? (
        <SecretMade label="The secret" secret={make.data.secret} onClose={onClose}>
          <p>What is sent is signed with it, as Standard Webhooks describe.</p>
        </SecretMade>
      ) : (
        <Form
          submit="Make webhook"
          busy={make.isPending}
          error={make.error}
          onCancel={onClose}
          onSubmit={() => make.mutate(undefined)}
        >
          <TextField
            label="Address"
            name="url"
            type="url"
            placeholder="https://…"
            hint="https, at a public address."
            value={url}
            onChange={setUrl}
          />
          {ownId === null && (
            <TenantField label="Of" value={tenantId} none="All tenants" onChange={setTenantId} />
          )}
        </Form>
      )}
    </Dialog>
  );
}
