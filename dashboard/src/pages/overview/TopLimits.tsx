import { TenantName } from '../../components/TenantName.tsx';
import { useNamesakes } from '../../components/tenants.ts';
import { topOf, type LiveLimit, type LiveSecond } from '../../live/second.ts';
import { Card } from '../../ui/Card.tsx';
import { Empty } from '../../ui/States.tsx';
import { Table } from '../../ui/Table.tsx';
import { count } from '../../ui/words.ts';
import { shownMax } from './top.ts';

export function TopLimits({ seconds }: { readonly seconds: readonly LiveSecond[] }) {
  const rows = topOf<LiveLimit>(
    seconds,
    ({ top_limits }) => top_limits,
    ({ tenant_id, limit }) => `${tenant_id} ${limit}`,
    (sum, item) => ({
      ...sum,
      refused: sum.refused + item.refused,
      would_refuse: sum.would_refuse + item.would_refuse,
    }),
  ).slice(0, shownMax);
  const namesakes = useNamesakes(rows.map(({ tenant_id }) => tenant_id));
  return (
    <Card title="Limits that refuse most" about="In the last minutes" flush>
      <Table
        caption="Limits that refuse most"
        rows={rows}
        rowKey={({ tenant_id, limit }) => `${tenant_id} ${limit}`}
        empty={<Empty icon="check" title="No limit has refused anybody" />}
        columns={[
          { title: 'Limit', cell: ({ limit }) => <strong>{limit}</strong> },
          {
            title: 'Tenant',
            cell: ({ tenant_id: id }) => <TenantName id={id} withId={namesakes.has(id)} />,
          },
          { title: 'Refused', align: 'right', cell: ({ refused }) => count(refused) },
          { title: 'Would refuse', align: 'right', cell: (row) => count(row.would_refuse) },
        ]}
      />
    </Card>
  );
}
