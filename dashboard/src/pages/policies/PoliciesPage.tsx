import { useState } from 'react';
import { Link } from 'wouter';
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
  const mayWrite = useMayWrite();
  const { tenantId } = useSession();
  const filter = useOwnerFilter();
  const list = useList<Policy>('policies', { tenant_id: filter.tenantId });
  const [doomed, setDoomed] = useState<Policy | null>(null);
  return (
    <Page
      title="Policies"
      about="A policy says what a resource costs and which limits it adds to the plan’s."
      actions={<Actions mayWrite={mayWrite} />}
    >
      <PublicationNotice />
      {tenantId === null && <OwnerFilter filter={filter} />}
      <Card flush>
        <Loaded query={list}>
          {() => (
            <Table
              caption="Policies"
              columns={mayWrite ? [...columns, deleteColumn(setDoomed)] : columns}
              rows={list.items}
              rowKey={({ id }) => id}
              empty={
                <Empty icon="policy" title="No policies">
                  Without one, each call costs 1 and only the plan limits it.
                </Empty>
              }
            />
          )}
        </Loaded>
        <MoreRows list={list} />
      </Card>
      {doomed && <DeletePolicy policy={doomed} onClose={() => setDoomed(null)} />}
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

function deleteColumn(onDelete: (policy: Policy) => void): Column<Policy> {
  return {
    title: 'Controls',
    isControls: true,
    cell: (policy) => (
      <Button size="small" variant="quiet" icon="trash" onClick={() => onDelete(policy)}>
        Delete<span className="hidden"> {policy.resource}</span>
      </Button>
    ),
  };
}
