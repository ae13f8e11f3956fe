import { TenantText } from '../../../components/TenantText.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Empty } from '../../../ui/States.tsx';
import { Table } from '../../../ui/Table.tsx';
import type { Webhook } from './webhook.ts';

export function WebhooksTable({
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
