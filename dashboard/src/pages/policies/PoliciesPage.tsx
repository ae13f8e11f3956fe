import { Link } from 'wouter';
import { LimitWords } from '../../limits/LimitWords.tsx';
import { useMayWrite } from '../../limits/may-write.ts';
import { OwnedList } from '../../limits/owner/OwnedList.tsx';
import { Owner } from '../../limits/owner/Owner.tsx';
import { Page } from '../../ui/Page.tsx';
import { Empty } from '../../ui/States.tsx';
import type { Column } from '../../ui/Table.tsx';
import { Cost } from './Cost.tsx';
import { DeletePolicy } from './DeletePolicy.tsx';
import { ModeBadge } from './ModeBadge.tsx';
import type { Policy } from './policy.ts';

const columns: readonly Column<Policy>[] = [
  {
    title: 'Resource',
    cell: ({ id, resource }) => (
      <Link href={`/policies/${id}`} className="mono">
        {resource}
      </Link>
    ),
  },
  { title: 'For', cell: (policy) => <Owner tenantId={policy.tenant_id} /> },
  { title: 'Costs', cell: (policy) => <Cost of={policy} /> },
  { title: 'Adds limits', cell: (policy) => <LimitWords limits={policy.limits} /> },
  { title: 'Mode', cell: ({ mode }) => (mode === null ? '' : <ModeBadge mode={mode} />) },
];

export default function PoliciesPage() {
  return (
    <Page
      title="Policies"
      about="A policy says what a resource costs and which limits it adds to the plan’s."
      actions={<Actions mayWrite={useMayWrite()} />}
    >
      <OwnedList<Policy>
        noun="policies"
        caption="Policies"
        columns={columns}
        called={({ resource }) => resource}
        empty={() => (
          <Empty icon="policy" title="No policies">
            Without one, each call costs 1 and only the plan limits it.
          </Empty>
        )}
        confirm={(policy, onClose) => <DeletePolicy policy={policy} onClose={onClose} />}
      />
    </Page>
  );
}

function Actions({ mayWrite }: { readonly mayWrite: boolean }) {
  return (
    <>
      <Link href="/policies/explain" className="button button-secondary">
        Explain a check
      </Link>
      {mayWrite && (
        <Link href="/policies/new" className="button button-primary">
          New policy
        </Link>
      )}
    </>
  );
}
