import { useState } from 'react';
import { useChange } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { roles, type Role } from '../../../api/objects.ts';
import { useSession } from '../../../session/session.ts';
import { TenantField } from '../../../components/TenantField.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { SelectField, TextField } from '../../../ui/form/inputs.tsx';
import { SecretOnce } from '../../../ui/SecretOnce.tsx';
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
  if (make.data) return <Made secret={make.data.token} name={name} onClose={onClose} />;
  return (
    <Dialog title="New token" onClose={onClose}>
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
    </Dialog>
  );
}

function Made({
  secret,
  name,
  onClose,
}: {
  readonly secret: string;
  readonly name: string;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={`Token ${name}`} onClose={onClose}>
      <div className="stack">
        <SecretOnce secret={secret} label="The token" />
        <div className="dialog-actions">
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
