import type { Tenant } from '../../../api/objects.ts';
import { Badge, type Tone } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Empty } from '../../../ui/States.tsx';
import { Table, type Column } from '../../../ui/Table.tsx';
import { Countdown, Time } from '../../../ui/Time.tsx';
import { useMay } from '../may.ts';
import type { Override } from '../objects.ts';
import { useAsked } from '../use-asked.ts';
import { DeleteOverride } from './DeleteOverride.tsx';
import { EditOverride } from './EditOverride.tsx';
import { numbersInWords, whomInWords } from './override-words.ts';

const statusTones: Readonly<Record<Override['status'], Tone>> = {
  active: 'good',
  scheduled: 'accent',
  expired: 'neutral',
};

type Action = 'edit' | 'delete';

export function OverrideTable({
  tenant,
  overrides,
}: {
  readonly tenant: Tenant;
  readonly overrides: readonly Override[];
}) {
  const may = useMay();
  const { ask, forAction, close } = useAsked<Override, Action>(overrides);
  const [editing, deleting] = [forAction('edit'), forAction('delete')];
  return (
    <>
      <Table
        caption="Overrides"
        columns={may.changeLimits ? [...columns, controlsFor(ask)] : columns}
        rows={overrides}
        rowKey={({ id }) => id}
        empty={
          <Empty icon="policy" title="No overrides">
            Every limit has its own numbers.
          </Empty>
        }
      />
      {editing && <EditOverride tenant={tenant} override={editing} onClose={close} />}
      {deleting && <DeleteOverride override={deleting} onClose={close} />}
    </>
  );
}

function controlsFor(onAsk: (override: Override, action: Action) => void): Column<Override> {
  return {
    title: 'Actions',
    isControls: true,
    cell: (override) => (
      <>
        <Button size="small" variant="quiet" onClick={() => onAsk(override, 'edit')}>
          Edit<span className="hidden"> the override of {override.limit}</span>
        </Button>
        <Button size="small" variant="quiet" onClick={() => onAsk(override, 'delete')}>
          Delete<span className="hidden"> the override of {override.limit}</span>
        </Button>
      </>
    ),
  };
}

const columns: readonly Column<Override>[] = [
  {
    title: 'Limit',
    cell: (override) => (
      <>
        <strong>{override.limit}</strong>
        <br />
        <span className="quiet">{whomInWords(override)}</span>
      </>
    ),
  },
  { title: 'Instead', cell: ({ numbers }) => numbersInWords(numbers) },
  {
    title: 'Status',
    cell: ({ status }) => <Badge tone={statusTones[status]}>{status}</Badge>,
  },
  { title: 'Ends', cell: (override) => <Ends override={override} /> },
  { title: 'Why', cell: ({ reason }) => <span className="tenant-reason">{reason}</span> },
];

function Ends({
  override: { status, starts_at: start, expires_at: end },
}: {
  readonly override: Override;
}) {
  if (status === 'scheduled' && start !== null) {
    return (
      <>
        starts in <Countdown to={start} over="a moment" />
      </>
    );
  }
  if (end === null) return <span className="quiet">never</span>;
  return status === 'expired' ? <Time at={end} /> : <Countdown to={end} over="ended" />;
}
