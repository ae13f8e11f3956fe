import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Plan, Tenant } from '../../../api/objects.ts';
import { Table, type Column } from '../../../ui/Table.tsx';
import { Time } from '../../../ui/Time.tsx';
import { StatusBadge } from '../StatusBadge.tsx';
import { useSharedPlans } from './tiers.ts';

export function TenantTable({
  tenants,
  empty,
}: {
  readonly tenants: readonly Tenant[];
  readonly empty: ReactNode;
}) {
  const plans = useSharedPlans();
  return (
    <Table
      caption="Tenants"
      columns={columnsFor(plans)}
      rows={tenants}
      rowKey={({ id }) => id}
      empty={empty}
    />
  );
}

function columnsFor(plans: readonly Plan[]): readonly Column<Tenant>[] {
  return [
    {
      title: 'Name',
      cell: ({ id, name }) => (
        <Link href={`/tenants/${id}/overview`} className="tenant-link">
          {name}
        </Link>
      ),
    },
    { title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
    { title: 'Tier', cell: ({ tier }) => tier },
    { title: 'Plan', cell: (tenant) => <PlanName tenant={tenant} plans={plans} /> },
    {
      title: 'Pool',
      cell: ({ pool }) => pool ?? <span className="quiet">of its tier</span>,
    },
    { title: 'Time zone', cell: ({ timezone }) => timezone },
    {
      title: 'Made',
      align: 'right',
      cell: ({ created_at: at }) => (
        <span className="quiet">
          <Time at={at} />
        </span>
      ),
    },
  ];
}

function PlanName({
  tenant: { plan_id: planId, tier },
  plans,
}: {
  readonly tenant: Tenant;
  readonly plans: readonly Plan[];
}) {
  if (planId !== null) return plans.find(({ id }) => id === planId)?.name ?? 'its own';
  const ofTier = plans.find(({ name }) => name === tier);
  return ofTier ? ofTier.name : <span className="quiet">none</span>;
}
