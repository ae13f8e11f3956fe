import { useState } from 'react';
import { useList } from '../../../api/queries.ts';
import type { Tenant } from '../../../api/objects.ts';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { MoreRows } from '../../../ui/MoreRows.tsx';
import { Page } from '../../../ui/Page.tsx';
import { Empty, Failed, Loading } from '../../../ui/States.tsx';
import { useMay } from '../may.ts';
import { NewTenant } from './NewTenant.tsx';
import { noFilter, TenantFilters, type TenantFilter } from './TenantFilters.tsx';
import { TenantTable } from './TenantTable.tsx';
import { useSettled } from './settled.ts';
import '../tenants.css';

const settleMs = 200;

/** Every customer of the platform, the first made first. */
export default function TenantsPage() {
  const may = useMay();
  const [filters, setFilters] = useState<TenantFilter>(noFilter);
  const [isAdding, setAdding] = useState(false);
  const list = useList<Tenant>('tenants', useSettled(filters, settleMs));
  return (
    <Page
      title="Tenants"
      about="Each has its own counters, keys and limits, and knows of no other."
      actions={
        may.changeLimits && (
          <Button variant="primary" icon="plus" onClick={() => setAdding(true)}>
            New tenant
          </Button>
        )
      }
    >
      <TenantFilters value={filters} onChange={setFilters} />
      <Card flush>
        {list.error ? (
          <Failed error={list.error} onRetry={() => list.refetch()} />
        ) : list.isPending ? (
          <Loading lines={8} />
        ) : (
          <TenantTable tenants={list.items} empty={<NoTenants filters={filters} />} />
        )}
        <MoreRows list={list} />
      </Card>
      {isAdding && <NewTenant onClose={() => setAdding(false)} />}
    </Page>
  );
}

function NoTenants({ filters }: { readonly filters: TenantFilter }) {
  const isFiltered = Object.values(filters).some((text) => text !== '');
  return isFiltered ? (
    <Empty title="No tenant matches">
      Names are compared from their beginning, capitals and all.
    </Empty>
  ) : (
    <Empty icon="tenant" title="No tenants yet">
      A tenant is a customer: make one, then a key for it.
    </Empty>
  );
}
