import { useState } from 'react';
import { useLocation } from 'wouter';
import { useChange } from '../../../api/queries.ts';
import type { Tenant } from '../../../api/objects.ts';
import { admin } from '../../../api/request.ts';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { Confirm } from '../../../ui/dialog/Confirm.tsx';
import { ifMatch } from '../../../api/if-match.ts';
import { useTenantChange } from './tenant-change.ts';

/** What a tenant's callers notice at once. */
export function Danger({ tenant }: { readonly tenant: Tenant }) {
  const [asked, setAsked] = useState<'suspend' | 'delete' | null>(null);
  const close = () => setAsked(null);
  const isActive = tenant.status === 'active';
  return (
    <Card title="Suspend or delete">
      <div className="tenant-danger">
        <p>
          {isActive
            ? 'A suspended tenant is refused every check. It can be resumed at any time.'
            : 'Resumed, its keys and limits are as before.'}
        </p>
        <Button onClick={() => setAsked('suspend')}>{isActive ? 'Suspend…' : 'Resume…'}</Button>
      </div>
      <div className="tenant-danger">
        <p>Deleted, its keys, plans, policies, tokens, counters and usage are gone for good.</p>
        <Button variant="danger" onClick={() => setAsked('delete')}>
          Delete…
        </Button>
      </div>
      {asked === 'suspend' && <Suspend tenant={tenant} onClose={close} />}
      {asked === 'delete' && <Delete tenant={tenant} onClose={close} />}
    </Card>
  );
}

type Asking = { readonly tenant: Tenant; readonly onClose: () => void };

function Suspend({ tenant, onClose }: Asking) {
  // As it was asked: the answer changes it before the dialog is gone.
  const [isActive] = useState(tenant.status === 'active');
  const verb = isActive ? 'Suspend' : 'Resume';
  const change = useTenantChange(
    tenant,
    ({ name }) => `${name} is ${isActive ? 'suspended' : 'active again'}.`,
  );
  return (
    <Confirm
      title={`${verb} ${tenant.name}?`}
      action={`${verb} tenant`}
      onConfirm={() => change.mutateAsync({ status: isActive ? 'suspended' : 'active' })}
      onClose={onClose}
    >
      {isActive
        ? 'From the next check on, all of its callers are refused with 403. Nothing is lost.'
        : 'From the next check on, its callers are counted and let in as its limits say.'}
    </Confirm>
  );
}

function Delete({ tenant, onClose }: Asking) {
  const [, navigate] = useLocation();
  const change = useChange({
    run: async () => {
      await admin('DELETE', `tenants/${tenant.id}`, ifMatch(tenant));
      navigate('/tenants');
    },
    touches: ['tenants'],
    done: () => `${tenant.name} is deleted.`,
  });
  return (
    <Confirm
      title={`Delete ${tenant.name}?`}
      action="Delete tenant"
      typed={tenant.name}
      onConfirm={() => change.mutateAsync(undefined)}
      onClose={onClose}
    >
      With it go its keys, plans, policies, tokens, counters and usage. This can not be undone.
    </Confirm>
  );
}
