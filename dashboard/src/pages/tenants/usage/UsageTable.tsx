import { useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { Table, type Column } from '../../../ui/Table.tsx';
import { count } from '../../../ui/words.ts';
import type { Lines } from './lines.ts';
import type { Step } from './report.ts';
import { stepInWords } from './step-words.ts';

const rowsMax = 200;

/** A step by its place on the lines. */
type Row = { readonly at: number; readonly second: number };

/** The same figures to read, the newest first: steps in which nothing happened are left out. */
export function UsageTable({
  lines: { times, series },
  step,
}: {
  readonly lines: Lines;
  readonly step: Step;
}) {
  const [isOpen, setOpen] = useState(false);
  const busy = times
    .map((second, at): Row => ({ at, second }))
    .filter(({ at }) => series.some(({ values }) => (values[at] ?? 0) > 0))
    .toReversed();
  const columns: readonly Column<Row>[] = [
    { title: 'Step', cell: ({ second }) => stepInWords(second, step) },
    ...series.map(({ label, values }): Column<Row> => ({
      title: label,
      align: 'right',
      cell: ({ at }) => count(values[at] ?? 0),
    })),
  ];
  return (
    <div>
      <Button
        size="small"
        variant="quiet"
        icon={isOpen ? 'minus' : 'plus'}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        Figures as a table
      </Button>
      {isOpen && (
        <div className="usage-rows">
          <Table
            caption="Calls over time"
            columns={columns}
            rows={busy.slice(0, rowsMax)}
            rowKey={({ second }) => String(second)}
          />
          {busy.length > rowsMax && (
            <p className="hint">The newest {rowsMax}; choose longer steps to see all.</p>
          )}
        </div>
      )}
    </div>
  );
}
