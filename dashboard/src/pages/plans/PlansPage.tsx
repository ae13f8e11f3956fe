import { Link } from 'wouter';
import type { Plan } from '../../api/objects.ts';
import { LimitWords } from '../../limits/LimitWords.tsx';
import { useMayWrite } from '../../limits/may-write.ts';
import { OwnedList } from '../../limits/owner/OwnedList.tsx';
import { Owner } from '../../limits/owner/Owner.tsx';
import { Page } from '../../ui/Page.tsx';
import { Empty } from '../../ui/States.tsx';
import type { Column } from '../../ui/Table.tsx';
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
      <OwnedList<Plan>
        noun="plans"
        caption="Plans"
        columns={columns}
        called={({ name }) => name}
        empty={(isNarrowed) => <NoPlans isNarrowed={isNarrowed} />}
        confirm={(plan, onClose) => <DeletePlan plan={plan} onClose={onClose} />}
      />
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
