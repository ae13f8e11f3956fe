import { useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { Table, type Column } from '../../../ui/Table.tsx';
import { count } from '../../../ui/words.ts';
import type { Shown } from './bands.ts';
import type { UsagePoint, UsageReport } from './report.ts';
import { secondOf, stepInWords } from './step-words.ts';

const rowsMax = 200;

/** The same figures to read, the newest first: steps in which nothing happened are left out. */
export function UsageTable({
  report,
  shown,
}: {
  readonly report: UsageReport;
  readonly shown: readonly Shown[];
}) {
  const [isOpen, setOpen] = useState(false);
  const busy = report.points.filter((point) => shown.some(({ id }) => point[id] > 0)).toReversed();
  const columns: readonly Column<UsagePoint>[] = [
    { title: 'Step', cell: ({ at }) => stepInWords(secondOf(at, report.step), report.step) },
    ...shown.map(({ id, label }): Column<UsagePoint> => ({
      title: label,
      align: 'right',
      cell: (point) => count(point[id]),
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
            rowKey={({ at }) => at}
          />
          {busy.length > rowsMax && (
            <p className="hint">The newest {rowsMax}; choose longer steps to see all.</p>
          )}
        </div>
      )}
    </div>
  );
}
