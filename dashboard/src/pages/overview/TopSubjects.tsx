import { Link } from 'wouter';
import { TenantName } from '../../components/TenantName.tsx';
import { useNamesakes } from '../../components/tenants.ts';
import { topOf, type LiveSecond, type LiveSubject } from '../../live/second.ts';
import { Card } from '../../ui/Card.tsx';
import { Empty } from '../../ui/States.tsx';
import { Table } from '../../ui/Table.tsx';
import { count } from '../../ui/words.ts';
import { shownMax } from './top.ts';

/** By their hashes: who they are stands in the receipt, for who may read it. */
export function TopSubjects({ seconds }: { readonly seconds: readonly LiveSecond[] }) {
  const rows = topOf<LiveSubject>(
    seconds,
    ({ top_subjects }) => top_subjects,
    ({ tenant_id, subject_hash }) => `${tenant_id} ${subject_hash}`,
    (sum, item) => ({ ...item, refused: sum.refused + item.refused }),
  ).slice(0, shownMax);
  const namesakes = useNamesakes(rows.map(({ tenant_id }) => tenant_id));
  return (
    <Card title="Subjects refused most" about="In the last minutes" flush>
      <Table
        caption="Subjects refused most"
        rows={rows}
        rowKey={({ tenant_id, subject_hash }) => `${tenant_id} ${subject_hash}`}
        empty={<Empty icon="check" title="Nobody was refused" />}
        columns={[
          {
            title: 'Subject',
            cell: ({ subject_hash, decision_id }) => (
              <Link href={`/decisions/${decision_id}`} className="mono" title="Its receipt">
                {subject_hash.slice(0, 12)}
              </Link>
            ),
          },
          {
            title: 'Tenant',
            cell: ({ tenant_id: id }) => <TenantName id={id} withId={namesakes.has(id)} />,
          },
          { title: 'By', cell: ({ limit }) => limit ?? '–' },
          { title: 'Refused', align: 'right', cell: ({ refused }) => count(refused) },
        ]}
      />
    </Card>
  );
}
