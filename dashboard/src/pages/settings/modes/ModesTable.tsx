import { useTenantName } from '../../../components/tenants.ts';
import { Badge } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Empty } from '../../../ui/States.tsx';
import { Table } from '../../../ui/Table.tsx';
import { Time } from '../../../ui/Time.tsx';
import { targetInWords, tones, type ModeEntry } from './mode.ts';

export function ModesTable({
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
