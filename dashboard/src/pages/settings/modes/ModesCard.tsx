import { useState } from 'react';
import { useChange, useList } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { useSession } from '../../../session/session.ts';
import { useTenantName } from '../../../components/tenants.ts';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { Confirm } from '../../../ui/dialog/Confirm.tsx';
import { MoreRows } from '../../../ui/MoreRows.tsx';
import { Loaded } from '../../../ui/States.tsx';
import { targetInWords, type ModeEntry } from './mode.ts';
import { SetModeDialog } from './SetModeDialog.tsx';
import { ModesTable } from './ModesTable.tsx';

/** Entries that say how strictly limits are taken, from the whole platform down to one limit. */
export function ModesCard() {
  const { canWrite, tenantId } = useSession();
  const mayWrite = canWrite && tenantId === null;
  const nameOf = useTenantName();
  const list = useList<ModeEntry>('modes');
  const [edited, setEdited] = useState<ModeEntry | 'new' | null>(null);
  const [removed, setRemoved] = useState<ModeEntry | null>(null);
  const remove = useChange({
    run: ({ id }: ModeEntry) => admin('DELETE', `modes/${id}`),
    touches: ['modes', 'rollout', 'audit'],
    done: () => 'The entry is removed.',
  });
  return (
    <Card
      title="Modes"
      about="The narrowest entry counts: limit, then policy and resource, tenant, platform."
      flush
      actions={
        mayWrite && (
          <Button variant="primary" icon="plus" onClick={() => setEdited('new')}>
            Set a mode
          </Button>
        )
      }
    >
      <Loaded query={list}>
        {() => (
          <ModesTable
            entries={list.items}
            {...(mayWrite && { onEdit: setEdited, onRemove: setRemoved })}
          />
        )}
      </Loaded>
      <MoreRows list={list} />
      {edited && (
        <SetModeDialog entry={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />
      )}
      {removed && (
        <Confirm
          title="Remove this entry?"
          action="Remove entry"
          onConfirm={() => remove.mutateAsync(removed)}
          onClose={() => setRemoved(null)}
        >
          From the next check on, {targetInWords(removed, nameOf)} has the mode again that it had
          without it.
        </Confirm>
      )}
    </Card>
  );
}
