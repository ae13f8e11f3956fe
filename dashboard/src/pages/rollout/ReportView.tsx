import { Card } from '../../ui/Card.tsx';
import { Empty } from '../../ui/States.tsx';
import { Table } from '../../ui/Table.tsx';
import { count } from '../../ui/words.ts';
import type { FullReport, TopSubject } from './report.ts';
import { ShareChart } from './ShareChart.tsx';
import { SincePromotion } from './SincePromotion.tsx';
import { StageCard } from './StageCard.tsx';
import { TryNumber } from './TryNumber.tsx';

/** The stage, the evidence, and what other numbers would do. */
export function ReportView({
  report,
  isOneOf,
}: {
  readonly report: FullReport;
  /** How many limits of this name the tenant has. */
  readonly isOneOf: number;
}) {
  return (
    <>
      <StageCard report={report} isOneOf={isOneOf} />
      <div className="rollout-evidence">
        <Card
          title="Refused over time"
          about={`The share that it would have refused, by ${report.step}.`}
        >
          <ShareChart
            points={report.series}
            step={report.step}
            tightAbove={report.verdict.thresholds.too_tight_above}
          />
        </Card>
        <TryNumber key={report.number} report={report} />
      </div>
      <Card
        title="Who would have been refused"
        about={
          report.sampled
            ? 'The top of a fair sample: there are too many to follow all.'
            : 'Those who would have been refused most.'
        }
        flush
      >
        <TopSubjects subjects={report.top_subjects} />
      </Card>
      <SincePromotion report={report} />
    </>
  );
}

function TopSubjects({ subjects }: { readonly subjects: readonly TopSubject[] }) {
  return (
    <Table
      caption="Who would have been refused"
      rows={subjects}
      rowKey={({ subject }) => subject}
      empty={
        <Empty icon="check" title="Nobody">
          No call in this time would have been refused.
        </Empty>
      }
      columns={[
        { title: 'Subject', cell: ({ subject }) => <span className="mono">{subject}</span> },
        { title: 'Calls', align: 'right', cell: ({ calls }) => count(calls) },
        {
          title: 'Would be refused',
          align: 'right',
          cell: ({ would_refuse: refused }) => count(refused),
        },
        { title: 'Needs at least', align: 'right', cell: ({ peak }) => count(peak) },
      ]}
    />
  );
}
