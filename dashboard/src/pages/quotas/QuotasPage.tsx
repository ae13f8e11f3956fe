import './quotas.css';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useList } from '../../api/queries.ts';
import { useSession } from '../../session/session.ts';
import { TenantField } from '../../components/TenantField.tsx';
import { TenantText } from '../../components/TenantText.tsx';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Dialog } from '../../ui/dialog/Dialog.tsx';
import { Form } from '../../ui/form/Form.tsx';
import { MoreRows } from '../../ui/MoreRows.tsx';
import { Page } from '../../ui/Page.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Table } from '../../ui/Table.tsx';
import { count } from '../../ui/words.ts';
import type { Quota } from './quota.ts';
import { QuotaView } from './QuotaView.tsx';

const about =
  'What each organisation may use in a calendar period, and how it deals that out among its teams and people.';

/** Of all tenants; with a token of a tenant, its own. */
export default function QuotasPage() {
  const { tenantId } = useSession();
  if (tenantId !== null) {
    return (
      <Page title="Quotas" about={about}>
        <QuotaView tenantId={tenantId} />
      </Page>
    );
  }
  return <AllQuotas />;
}

function AllQuotas() {
  const { canWrite } = useSession();
  const [isChoosing, setIsChoosing] = useState(false);
  const list = useList<Quota>('quotas');
  const add = canWrite && (
    <Button variant="primary" icon="plus" onClick={() => setIsChoosing(true)}>
      New quota
    </Button>
  );
  return (
    <Page title="Quotas" about={about} actions={add}>
      <Card flush>
        <Loaded query={list}>{() => <QuotaTable quotas={list.items} />}</Loaded>
        <MoreRows list={list} />
      </Card>
      {isChoosing && <ChooseTenant onClose={() => setIsChoosing(false)} />}
    </Page>
  );
}

function QuotaTable({ quotas }: { readonly quotas: readonly Quota[] }) {
  return (
    <Table
      caption="Quotas"
      rows={quotas}
      rowKey={({ tenant_id: id }) => id}
      empty={
        <Empty icon="quota" title="No tenant has a quota yet">
          A quota caps what a tenant uses in a day, a month or a year, on top of the limits of its
          plan.
        </Empty>
      }
      columns={[
        {
          title: 'Tenant',
          cell: ({ tenant_id: id }) => (
            <Link href={`/quotas/${id}`}>
              <TenantText id={id} />
            </Link>
          ),
        },
        {
          title: 'Allowance',
          align: 'right',
          cell: ({ limit, unit, period }) => `${count(limit)} ${unit} a ${period}`,
        },
        { title: 'Teams', align: 'right', cell: ({ teams }) => count(Object.keys(teams).length) },
        { title: 'Users', align: 'right', cell: (quota) => count(usersOf(quota)) },
        { title: 'Mode', cell: ({ mode }) => mode ?? 'inherited' },
      ]}
    />
  );
}

function usersOf({ teams }: Quota): number {
  return Object.values(teams).reduce((sum, { users }) => sum + Object.keys(users).length, 0);
}

function ChooseTenant({ onClose }: { readonly onClose: () => void }) {
  const [tenantId, setTenantId] = useState('');
  const [, go] = useLocation();
  return (
    <Dialog title="Whose quota?" onClose={onClose}>
      <Form
        submit="Continue"
        busy={false}
        error={null}
        onCancel={onClose}
        onSubmit={() => tenantId !== '' && go(`/quotas/${tenantId}`)}
      >
        <TenantField value={tenantId} none="Choose a tenant" onChange={setTenantId} />
      </Form>
    </Dialog>
  );
}
