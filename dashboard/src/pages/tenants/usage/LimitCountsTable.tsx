import { Card } from '../../../ui/Card.tsx';
import { Table, type Column } from '../../../ui/Table.tsx';
import { count } from '../../../ui/words.ts';
import type { UsageReport } from './report.ts';

type LimitCounts = UsageReport['limits'][number];

const columns: readonly Column<LimitCounts>[] = [
  { title: 'Limit', cell: ({ name }) => <strong>{name}</strong> },
  { title: 'Let in', align: 'right', cell: ({ allowed }) => count(allowed) },
  { title: 'Refused', align: 'right', cell: ({ blocked }) => count(blocked) },
  { title: 'Would have refused', align: 'right', cell: ({ would_block: some }) => count(some) },
];

/** Which limit it was, those that refused most first. */
export function LimitCountsTable({ report }: { readonly report: UsageReport }) {
  return (
    <Card
      flush
      title="What each limit made of it"
      about="A call that several refuse counts for each."
    >
      <Table
        caption="What each limit made of it"
        columns={columns}
        rows={report.limits}
        rowKey={({ name }) => name}
      />
    </Card>
  );
}
