import { useState } from 'react';
import { useChange, useList } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { useSession } from '../../../session/session.ts';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { Confirm } from '../../../ui/dialog/Confirm.tsx';
import { MoreRows } from '../../../ui/MoreRows.tsx';
import { Loaded } from '../../../ui/States.tsx';
import { DeliveriesDialog } from './DeliveriesDialog.tsx';
import { NewWebhookDialog } from './NewWebhookDialog.tsx';
import type { Webhook } from './webhook.ts';
import { WebhooksTable } from './WebhooksTable.tsx';

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
          <WebhooksTable
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
