import { Card } from '../../../ui/Card.tsx';
import { Table, type Column } from '../../../ui/Table.tsx';
import { count } from '../../../ui/words.ts';

export type CountsRow = {
  readonly name: string;
  readonly letIn: number;
  readonly refused: number;
  readonly wouldRefuse: number;
};

/** All of the time together, by the limit that decided or by the resource that was asked for. */
export function CountsTable({
  title,
  about,
  of,
  rows,
}: {
  readonly title: string;
  readonly about: string;
  readonly of: string;
  readonly rows: readonly CountsRow[];
}) {
  const columns: readonly Column<CountsRow>[] = [
    { title: of, cell: ({ name }) => <strong>{name}</strong> },
    { title: 'Let in', align: 'right', cell: ({ letIn }) => count(letIn) },
    { title: 'Refused', align: 'right', cell: ({ refused }) => count(refused) },
    { title: 'Would have refused', align: 'right', cell: ({ wouldRefuse }) => count(wouldRefuse) },
  ];
  return (
    <Card flush {...{ title, about }}>
      <Table caption={title} columns={columns} rows={rows} rowKey={({ name }) => name} />
    </Card>
  );
}
