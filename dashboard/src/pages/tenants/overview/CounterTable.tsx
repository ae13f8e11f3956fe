import { useState } from 'react';
import { Badge, type Tone } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Meter } from '../../../ui/Meter.tsx';
import { Empty } from '../../../ui/States.tsx';
import { Table, type Column } from '../../../ui/Table.tsx';
import { Countdown } from '../../../ui/Time.tsx';
import { count } from '../../../ui/words.ts';
import { useMay } from '../may.ts';
import type { Counter } from '../objects.ts';
import { perInWords, type Whose } from './counters.ts';
import { ResetCounter } from './ResetCounter.tsx';

const modeTones: Readonly<Record<Counter['mode'], Tone>> = {
  enforce: 'accent',
  warn: 'warning',
  shadow: 'odd',
  off: 'neutral',
};

export function CounterTable({
  counters,
  whose,
}: {
  readonly counters: readonly Counter[];
  readonly whose: Whose;
}) {
  const may = useMay();
  const [resetting, setResetting] = useState<string | null>(null);
  return (
    <>
      <Table
        caption="Limits now"
        columns={may.changeLimits ? [...columns, controlsFor(setResetting)] : columns}
        rows={counters}
        rowKey={({ name }) => name}
        empty={
          <Empty icon="gauge" title="No limit applies">
            Everything is let in.
          </Empty>
        }
      />
      {resetting !== null && (
        <ResetCounter limit={resetting} whose={whose} onClose={() => setResetting(null)} />
      )}
    </>
  );
}

function controlsFor(onReset: (name: string) => void): Column<Counter> {
  return {
    title: 'Actions',
    isControls: true,
    cell: ({ name, used, blocked_until: until }) =>
      (Boolean(used) || until !== null) && (
        <Button size="small" variant="quiet" onClick={() => onReset(name)}>
          Reset<span className="hidden"> {name}</span>
        </Button>
      ),
  };
}

const columns: readonly Column<Counter>[] = [
  {
    title: 'Limit',
    cell: ({ name, algorithm, per }) => (
      <>
        <strong>{name}</strong>
        <br />
        <span className="quiet">
          {algorithm.replaceAll('_', ' ')} {perInWords(per)}
        </span>
      </>
    ),
  },
  { title: 'Mode', cell: ({ mode }) => <Badge tone={modeTones[mode]}>{mode}</Badge> },
  { title: 'Used', cell: (counter) => <Used counter={counter} /> },
  {
    title: 'Left',
    align: 'right',
    cell: ({ remaining }) => (remaining === null ? '–' : count(remaining)),
  },
  { title: 'All back', align: 'right', cell: (counter) => <Back counter={counter} /> },
];

function Used({ counter: { name, used, limit, unit } }: { readonly counter: Counter }) {
  if (used === null) {
    return (
      <span className="quiet">
        {count(limit)} {unit}; say whose
      </span>
    );
  }
  return (
    <div className="tenant-used">
      <span className="figures">
        {count(used)} of {count(limit)} {unit}
      </span>
      <Meter used={used} of={limit} label={`${name} used`} />
    </div>
  );
}

function Back({ counter }: { readonly counter: Counter }) {
  const { used, reset_at: resetAt, blocked_until: blockedUntil } = counter;
  if (blockedUntil !== null) {
    return (
      <Badge tone="bad">
        in penalty, <Countdown to={isoOf(blockedUntil)} />
      </Badge>
    );
  }
  if (used === null || used === 0 || resetAt === null) return '–';
  return <Countdown to={isoOf(resetAt)} over="now" />;
}

function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
