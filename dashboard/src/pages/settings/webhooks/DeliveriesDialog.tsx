import { useList } from '../../../api/queries.ts';
import { Badge } from '../../../ui/Badge.tsx';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { MoreRows } from '../../../ui/MoreRows.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { Table } from '../../../ui/Table.tsx';
import { Time } from '../../../ui/Time.tsx';
import type { Delivery, Webhook } from './webhook.ts';

const tones = { waiting: 'neutral', delivered: 'good', failed: 'bad' } as const;

/** What was sent, and what became of it. */
export function DeliveriesDialog({
  webhook,
  onClose,
}: {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}) {
  const list = useList<Delivery>(`webhooks/${webhook.id}/deliveries`);
  return (
    <Dialog title="Deliveries" size="large" onClose={onClose}>
      <Loaded query={list}>
        {() => (
          <Table
            caption="Deliveries"
            rows={list.items}
            rowKey={({ id }) => id}
            empty={<Empty icon="arrow" title="Nothing was sent in the last month" />}
            columns={[
              { title: 'When', cell: ({ created_at: at }) => <Time at={at} /> },
              { title: 'Event', cell: ({ event }) => event },
              {
                title: 'Status',
                cell: ({ status }) => <Badge tone={tones[status]}>{status}</Badge>,
              },
              { title: 'Attempts', align: 'right', cell: ({ attempts }) => attempts },
              { title: 'Last problem', cell: ({ last_problem: problem }) => problem ?? '' },
            ]}
          />
        )}
      </Loaded>
      <MoreRows list={list} />
    </Dialog>
  );
}
