import { useState } from 'react';
import { useChange, useList } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { useSession } from '../../../session/session.ts';
import { TenantText } from '../../../components/TenantText.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { Confirm } from '../../../ui/dialog/Confirm.tsx';
import { MoreRows } from '../../../ui/MoreRows.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { Table } from '../../../ui/Table.tsx';
import { DeliveriesDialog } from './DeliveriesDialog.tsx';
import { NewWebhookDialog } from './NewWebhookDialog.tsx';
import type { Webhook } from './webhook.ts';

/** Who is told when a quota runs low. */
export function WebhooksCard() {
  const { canWrite } = useSession();
  const list = useList<Webhook>('webhooks');
  const [isNew, setIsNew] = useState(false);
  const [removed, setRemoved] = useState<Webhook | null>(null);
  const [read, setRead] = useState<Webhook | null>(null);
  const remove = useChange({
    run: ({ id }: Webhook) => admin('DELETE', `webhooks/${id}`),
    touches: ['webhooks', 'audit'],
    done: () => 'Webhook deleted.',
  });
  return (
    <Card
      title="Webhooks"
      about="Told by a signed POST when a quota comes near its end."
      flush
      actions={
        canWrite && (
          <Button variant="primary" icon="plus" onClick={() => setIsNew(true)}>
            New webhook
          </Button>
        )
      }
    >
      <Loaded query={list}>
        {() => (
          <Webhooks
            webhooks={list.items}
            onRead={setRead}
            {...(canWrite && { onRemove: setRemoved })}
          />
        )}
      </Loaded>
      <MoreRows list={list} />
      {isNew && <NewWebhookDialog onClose={() => setIsNew(false)} />}
      {read && <DeliveriesDialog webhook={read} onClose={() => setRead(null)} />}
      {removed && (
        <Confirm
          title="Delete this webhook?"
          action="Delete webhook"
          onConfirm={() => remove.mutateAsync(removed)}
          onClose={() => setRemoved(null)}
        >
          What waits to be delivered to {removed.url} goes with it.
        </Confirm>
      )}
    </Card>
  );
}

function Webhooks({
  webhooks,
  onRead,
  onRemove,
}: {
  readonly webhooks: readonly Webhook[];
  readonly onRead: (webhook: Webhook) => void;
  readonly onRemove?: (webhook: Webhook) => void;
}) {
  return (
    <Table
      caption="Webhooks"
      rows={webhooks}
      rowKey={({ id }) => id}
      empty={
        <Empty icon="arrow" title="No webhook">
          Nobody is told when a quota runs low; whoever looks at Quotas sees it.
        </Empty>
      }
      columns={[
        { title: 'Address', cell: ({ url }) => <p className="mono settings-url">{url}</p> },
        { title: 'Events', cell: ({ events }) => events.join(', ') },
        {
          title: 'Of',
          cell: ({ tenant_id: id }) => (id === null ? 'all tenants' : <TenantText id={id} />),
        },
        {
          title: 'Actions',
          isControls: true,
          cell: (webhook) => (
            <>
              <Button
                size="small"
                variant="quiet"
                aria-label={`Deliveries to ${webhook.url}`}
                onClick={() => onRead(webhook)}
              >
                Deliveries
              </Button>
              {onRemove && (
                <Button
                  size="small"
                  variant="quiet"
                  aria-label={`Delete ${webhook.url}`}
                  onClick={() => onRemove(webhook)}
                >
                  Delete
                </Button>
              )}
            </>
          ),
        },
      ]}
    />
  );
}
