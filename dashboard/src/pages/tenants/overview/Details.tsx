import { useState } from 'react';
import type { Tenant } from '../../../api/objects.ts';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { Time } from '../../../ui/Time.tsx';
import { useMay } from '../may.ts';
import { usePlanOf } from '../plan-of.ts';
import { EditTenant } from './EditTenant.tsx';
import { Rename } from './Rename.tsx';

/** What the tenant is. A tenant itself may change its name, and nothing it is limited by. */
export function Details({ tenant }: { readonly tenant: Tenant }) {
  const may = useMay();
  const [isEditing, setEditing] = useState(false);
  const { plan, isLoading } = usePlanOf(tenant);
  const Editor = may.changeLimits ? EditTenant : Rename;
  return (
    <Card
      title="Details"
      actions={
        may.changeOwn && (
          <Button size="small" onClick={() => setEditing(true)}>
            {may.changeLimits ? 'Edit' : 'Rename'}
          </Button>
        )
      }
    >
      <dl className="facts">
        <dt>Plan</dt>
        <dd>
          {plan ? plan.name : isLoading ? '…' : 'none: no limit of a plan applies'}
          {plan && tenant.plan_id === null && <span className="quiet"> by its tier</span>}
        </dd>
        <dt>Tier</dt>
        <dd>{tenant.tier}</dd>
        <dt>Pool</dt>
        <dd>{tenant.pool ?? <span className="quiet">of its tier</span>}</dd>
        <dt>Time zone</dt>
        <dd>{tenant.timezone}</dd>
        <dt>Billing anchor</dt>
        <dd>day {tenant.billing_anchor_day} of the month</dd>
        <dt>Made</dt>
        <dd>
          <Time at={tenant.created_at} />
        </dd>
      </dl>
      {!may.isPlatform && (
        <p className="hint tenant-note">
          Plan, tier and all else that limits you is changed by who runs this service.
        </p>
      )}
      {isEditing && <Editor tenant={tenant} onClose={() => setEditing(false)} />}
    </Card>
  );
}
