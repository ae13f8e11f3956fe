import { useState } from 'react';
import { Badge, type Tone } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Empty } from '../../../ui/States.tsx';
import { Table, type Column } from '../../../ui/Table.tsx';
import { Countdown, Time } from '../../../ui/Time.tsx';
import { useMay } from '../may.ts';
import type { Override } from '../objects.ts';
import { DeleteOverride } from './DeleteOverride.tsx';
import { numbersInWords, whomInWords } from './override-words.ts';

const statusTones: Readonly<Record<Override['status'], Tone>> = {
  active: 'good',
  scheduled: 'accent',
  expired: 'neutral',
};

export function OverrideTable({ overrides }: { readonly overrides: readonly Override[] }) {
  const may = useMay();
  const [deleting, setDeleting] = useState<Override | null>(null);
  return (
    <>
      <Table
        caption="Overrides"
        columns={may.changeLimits ? [...columns, controlsFor(setDeleting)] : columns}
        rows={overrides}
        rowKey={({ id }) => id}
        empty={
          <Empty icon="policy" title="No overrides">
            Every limit has its own numbers.
          </Empty>
        }
      />
      {deleting && <DeleteOverride override={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}

function controlsFor(onDelete: (override: Override) => void): Column<Override> {
  return {
    title: 'Actions',
    isControls: true,
    cell: (override) => (
      <Button size="small" variant="quiet" onClick={() => onDelete(override)}>
        Delete<span className="hidden"> the override of {override.limit}</span>
      </Button>
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
