import { useState } from 'react';
import { useChange, useList } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { useSession } from '../../../session/session.ts';
import { useTenantName } from '../../../components/tenants.ts';
import { Badge } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { Confirm } from '../../../ui/dialog/Confirm.tsx';
import { MoreRows } from '../../../ui/MoreRows.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { Table } from '../../../ui/Table.tsx';
import { Time } from '../../../ui/Time.tsx';
import { targetInWords, tones, type ModeEntry } from './mode.ts';
import { SetModeDialog } from './SetModeDialog.tsx';

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
          <Modes
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

function Modes({
  entries,
  onEdit,
  onRemove,
}: {
  readonly entries: readonly ModeEntry[];
  readonly onEdit?: (entry: ModeEntry) => void;
  readonly onRemove?: (entry: ModeEntry) => void;
}) {
  const nameOf = useTenantName();
  return (
    <Table
      caption="Modes"
      rows={entries}
      rowKey={({ id }) => id}
      empty={
        <Empty icon="gauge" title="No entry">
          Limits have the modes that plans and policies give them, and enforce where these say
          nothing.
        </Empty>
      }
      columns={[
        { title: 'For', cell: (entry) => targetInWords(entry, nameOf) },
        { title: 'Mode', cell: ({ mode }) => <Badge tone={tones[mode]}>{mode}</Badge> },
        {
          title: 'Enforces',
          cell: ({ enforce_from: at }) => (at === null ? '' : <Time at={at} />),
        },
        { title: 'Set', cell: ({ updated_at: at }) => <Time at={at} /> },
        {
          title: 'Actions',
          isControls: true,
          cell: (entry) =>
            onEdit &&
            onRemove && (
              <>
                <Button
                  size="small"
                  variant="quiet"
                  aria-label={`Change the mode of ${targetInWords(entry, nameOf)}`}
                  onClick={() => onEdit(entry)}
                >
                  Change
                </Button>
                <Button
                  size="small"
                  variant="quiet"
                  aria-label={`Remove the mode of ${targetInWords(entry, nameOf)}`}
                  onClick={() => onRemove(entry)}
                >
                  Remove
                </Button>
              </>
            ),
        },
      ]}
    />
  );
}
