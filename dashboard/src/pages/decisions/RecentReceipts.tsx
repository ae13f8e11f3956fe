import { useState } from 'react';
import { Link } from 'wouter';
import { useList } from '../../api/queries.ts';
import { useSession } from '../../session/session.ts';
import { TenantField } from '../../components/TenantField.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Card } from '../../ui/Card.tsx';
import { SelectField, TextField } from '../../ui/form/inputs.tsx';
import { MoreRows } from '../../ui/MoreRows.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Table } from '../../ui/Table.tsx';
import { Time } from '../../ui/Time.tsx';
import { outcomeInWords, outcomes, type Receipt } from './receipt.ts';

const outcomeOptions = [
  { value: '', label: 'Any outcome' },
  ...outcomes.map((value) => ({ value, label: outcomeInWords(value).label })),
];

/** For who has no id at hand. */
export function RecentReceipts() {
  const { tenantId: ownId } = useSession();
  const [tenantId, setTenantId] = useState('');
  const [outcome, setOutcome] = useState('');
  const [limitName, setLimitName] = useState('');
  const list = useList<Receipt>('decisions', {
    tenant_id: tenantId,
    outcome,
    limit_name: limitName,
  });
  return (
    <Card title="Recent decisions" about="Refusals and warnings, and a sample of the rest." flush>
      <div className="filters filters-inset">
        {ownId === null && (
          <TenantField value={tenantId} none="All tenants" onChange={setTenantId} />
        )}
        <SelectField
          label="Outcome"
          name="outcome"
          value={outcome}
          options={outcomeOptions}
          onChange={setOutcome}
        />
        <TextField label="Limit" name="limit_name" value={limitName} onChange={setLimitName} />
      </div>
      <Loaded query={list}>{() => <Rows receipts={list.items} />}</Loaded>
      <MoreRows list={list} />
    </Card>
  );
}

function Rows({ receipts }: { readonly receipts: readonly Receipt[] }) {
  return (
    <Table
      caption="Recent decisions"
      rows={receipts}
      rowKey={({ decision_id: id }) => id}
      empty={
        <Empty icon="decision" title="No such decision is kept">
          They appear within about two seconds of the call.
        </Empty>
      }
      columns={[
        { title: 'When', cell: ({ at }) => <Time at={at} /> },
        { title: 'Outcome', cell: ({ outcome }) => <Outcome outcome={outcome} /> },
        { title: 'Tenant', cell: ({ tenant }) => tenant.name },
        { title: 'Resource', cell: ({ resource }) => <span className="mono">{resource}</span> },
        { title: 'Subject', cell: ({ subject }) => subject },
        {
          title: 'By',
          cell: ({ blocked_by: by, would_block: would }) => by?.limit ?? would.join(', '),
        },
        {
          title: 'Receipt',
          isControls: true,
          cell: ({ decision_id: id }) => (
            <Link href={`/decisions/${id}`} aria-label={`Read receipt ${id}`}>
              Read
            </Link>
          ),
        },
      ]}
    />
  );
}

function Outcome({ outcome }: { readonly outcome: string }) {
  const { label, tone } = outcomeInWords(outcome);
  return <Badge tone={tone}>{label}</Badge>;
}
