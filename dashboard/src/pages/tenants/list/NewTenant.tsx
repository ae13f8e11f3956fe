import { useState } from 'react';
import { useLocation } from 'wouter';
import { useChange } from '../../../api/queries.ts';
import type { Published, Tenant } from '../../../api/objects.ts';
import { admin } from '../../../api/request.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { TenantFields } from '../TenantFields.tsx';
import { draftOf, sentOf } from '../tenant-draft.ts';

/** Afterwards the tenant's own page is there, where its first key is made. */
export function NewTenant({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState(draftOf(null));
  const [, navigate] = useLocation();
  const adding = useChange({
    run: async () => {
      const body = sentOf(draft, null);
      const made = await admin<Tenant & Published>('POST', 'tenants', { body });
      navigate(`/tenants/${made.id}/overview`);
      return made;
    },
    touches: ['tenants'],
    done: ({ name }) => `${name} is there. It needs a key to be asked about.`,
  });
  return (
    <Dialog title="New tenant" onClose={onClose}>
      <Form
        submit="Make tenant"
        busy={adding.isPending}
        error={adding.error}
        onSubmit={() => adding.mutate(undefined)}
        onCancel={onClose}
      >
        <TenantFields value={draft} onChange={setDraft} tenantId={null} />
      </Form>
    </Dialog>
  );
}
