import { useState } from 'react';
import { Link } from 'wouter';
import type { Plan } from '../../api/objects.ts';
import { useList } from '../../api/queries.ts';
import { LimitWords } from '../../limits/LimitWords.tsx';
import { useMayWrite } from '../../limits/may-write.ts';
import { Owner } from '../../limits/owner/Owner.tsx';
import { OwnerFilter, useOwnerFilter } from '../../limits/owner/OwnerFilter.tsx';
import { PublicationNotice } from '../../limits/published/PublicationNotice.tsx';
import { useSession } from '../../session/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { MoreRows } from '../../ui/MoreRows.tsx';
import { Page } from '../../ui/Page.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Table, type Column } from '../../ui/Table.tsx';
import { Time } from '../../ui/Time.tsx';
import { DeletePlan } from './DeletePlan.tsx';

const columns: readonly Column<Plan>[] = [
  { title: 'Plan', cell: (plan) => <Link href={`/plans/${plan.id}`}>{plan.name}</Link> },
  { title: 'For', cell: (plan) => <Owner tenantId={plan.tenant_id} /> },
  { title: 'Limits', cell: (plan) => <LimitWords limits={plan.limits} /> },
  { title: 'Changed', cell: (plan) => <Time at={plan.updated_at} /> },
];

export default function PlansPage() {
  const mayWrite = useMayWrite();
  const { tenantId } = useSession();
  const filter = useOwnerFilter();
  const list = useList<Plan>('plans', { tenant_id: filter.tenantId });
  const [doomed, setDoomed] = useState<Plan | null>(null);
  return (
    <Page
      title="Plans"
      about="A plan is a named set of limits that tenants are on."
      actions={
        mayWrite && (
          <Link href="/plans/new" className="button button-primary">
            New plan
          </Link>
        )
      }
    >
      <PublicationNotice />
      {tenantId === null && <OwnerFilter filter={filter} />}
      <Card flush>
        <Loaded query={list}>
          {() => (
            <Table
              caption="Plans"
              columns={mayWrite ? [...columns, deleteColumn(setDoomed)] : columns}
              rows={list.items}
              rowKey={({ id }) => id}
              empty={<NoPlans isNarrowed={filter.value !== 'all'} />}
            />
          )}
        </Loaded>
        <MoreRows list={list} />
      </Card>
      {doomed && <DeletePlan plan={doomed} onClose={() => setDoomed(null)} />}
    </Page>
  );
}

function NoPlans({ isNarrowed }: { readonly isNarrowed: boolean }) {
  return (
    <Empty icon="plan" title={isNarrowed ? 'No such plan' : 'No plans yet'}>
      {isNarrowed
        ? 'Nothing fits what is chosen above.'
        : 'Without a plan a tenant is limited by policies alone. Make one, from a template if you like.'}
    </Empty>
  );
}

function deleteColumn(onDelete: (plan: Plan) => void): Column<Plan> {
  return {
    title: 'Controls',
    isControls: true,
    cell: (plan) => (
      <Button size="small" variant="quiet" icon="trash" onClick={() => onDelete(plan)}>
        Delete<span className="hidden"> {plan.name}</span>
      </Button>
    ),
  };
}
