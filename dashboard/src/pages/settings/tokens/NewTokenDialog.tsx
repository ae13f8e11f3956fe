import { useState } from 'react';
import { useChange } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { roles, type Role } from '../../../api/objects.ts';
import { useSession } from '../../../session/session.ts';
import { TenantField } from '../../../components/TenantField.tsx';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { SecretMade } from '../../../ui/dialog/SecretMade.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { SelectField, TextField } from '../../../ui/form/inputs.tsx';
import { instantOf } from '../instant.ts';

const roleWords: Readonly<Record<Role, string>> = {
  viewer: 'Viewer: reads',
  operator: 'Operator: changes what limits are made of',
  owner: 'Owner: makes tokens too',
};
const roleOptions = roles.map((value) => ({ value, label: roleWords[value] }));

/** Makes a token, and shows its secret this once. */
export function NewTokenDialog({ onClose }: { readonly onClose: () => void }) {
  const { tenantId: ownId } = useSession();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [tenantId, setTenantId] = useState(ownId ?? '');
  const [expires, setExpires] = useState('');
  const make = useChange({
    run: () =>
      admin<{ readonly token: string }>('POST', 'tokens', {
        body: {
          name,
          role,
          tenant_id: tenantId === '' ? null : tenantId,
          expires_at: instantOf(expires),
        },
      }),
    touches: ['tokens', 'audit'],
  });
  return (
    <Dialog title={make.data ? `Token ${name}` : 'New token'} onClose={onClose}>
      {make.data ? (
        <SecretMade label="The token" secret={make.data.token} onClose={onClose} />
      ) : (
        <Form
          submit="Make token"
          busy={make.isPending}
          error={make.error}
          onCancel={onClose}
          onSubmit={() => make.mutate(undefined)}
        >
          <TextField
            label="Name"
            name="name"
            hint="Who or what uses it."
            value={name}
            onChange={setName}
          />
          <SelectField
            label="Role"
            name="role"
            value={role}
            options={roleOptions}
            onChange={setRole}
          />
          {ownId === null && (
            <TenantField
              label="Reaches"
              value={tenantId}
              none="The whole platform"
              onChange={setTenantId}
            />
          )}
          <TextField
            label="Expires"
            name="expires_at"
            type="datetime-local"
            optional
            value={expires}
            onChange={setExpires}
          />
        </Form>
      )}
    </Dialog>
  );
}
