import { Card } from '../../ui/Card.tsx';
import { Table } from '../../ui/Table.tsx';
import { Countdown, Time } from '../../ui/Time.tsx';
import { count } from '../../ui/words.ts';
import type { TopUp } from './quota.ts';

/** Those in force. */
export function TopUps({ topUps }: { readonly topUps: readonly TopUp[] }) {
  return (
    <Card title="Top-ups" about="For the organisation, until its period ends." flush>
      <Table
        caption="Top-ups"
        rows={topUps}
        rowKey={({ id }) => id}
        columns={[
          { title: 'Amount', align: 'right', cell: ({ amount }) => `+${count(amount)}` },
          { title: 'Reason', cell: ({ reason }) => reason },
          { title: 'Given', cell: ({ created_at: at }) => <Time at={at} /> },
          { title: 'Ends in', cell: ({ ends_at: to }) => <Countdown to={to} /> },
        ]}
      />
    </Card>
  );
}
