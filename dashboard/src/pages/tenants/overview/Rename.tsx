import { useState } from 'react';
import type { Tenant } from '../../../api/objects.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { TextField } from '../../../ui/form/inputs.tsx';
import { useTenantChange } from './tenant-change.ts';

export function Rename({
  tenant,
  onClose,
}: {
  readonly tenant: Tenant;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(tenant.name);
  const change = useTenantChange(tenant, (after) => `Now called ${after.name}.`);
  const save = () => change.mutateAsync({ name: name.trim() }).then(onClose, () => {});
  return (
    <Dialog title="Rename" onClose={onClose}>
      <Form
        submit="Rename"
        busy={change.isPending}
        error={change.error}
        onSubmit={save}
        onCancel={onClose}
      >
        <TextField label="Name" name="name" maxLength={200} value={name} onChange={setName} />
      </Form>
    </Dialog>
  );
}
