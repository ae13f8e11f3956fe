import { useState } from 'react';
import type { Tenant } from '../../../api/objects.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { draftOf, sentOf } from '../tenant-draft.ts';
import { TenantFields } from '../TenantFields.tsx';
import { useTenantChange } from './tenant-change.ts';

export function EditTenant({
  tenant,
  onClose,
}: {
  readonly tenant: Tenant;
  readonly onClose: () => void;
}) {
  // As it was when the form opened: what others change meanwhile is not taken back.
  const [before] = useState(tenant);
  const [draft, setDraft] = useState(draftOf(tenant));
  const change = useTenantChange(tenant, () => 'Saved.');
  const save = () => change.mutateAsync(sentOf(draft, before)).then(onClose, () => {});
  return (
    <Dialog title={`Edit ${before.name}`} onClose={onClose}>
      <Form
        submit="Save"
        busy={change.isPending}
        error={change.error}
        onSubmit={save}
        onCancel={onClose}
      >
        <TenantFields value={draft} onChange={setDraft} tenantId={tenant.id} />
      </Form>
    </Dialog>
  );
}
