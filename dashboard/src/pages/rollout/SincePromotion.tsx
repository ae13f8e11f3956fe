import { Card } from '../../ui/Card.tsx';
import { Table } from '../../ui/Table.tsx';
import { Time } from '../../ui/Time.tsx';
import { count } from '../../ui/words.ts';
import { percent, type FullReport, type StageFigures } from './report.ts';

/** What changed since it came into its stage, and how it did before. */
export function SincePromotion({ report }: { readonly report: FullReport }) {
  const { at, changes, before, after } = report.since_promotion;
  if (at === null) return null;
  return (
    <Card
      title="Since it came into this stage"
      about={
        <>
          That was <Time at={at} />.
        </>
      }
    >
      <div className="stack">
        {before && after && <Compared before={before} after={after} />}
        {changes.length === 0 ? (
          <p className="quiet">Nothing that counts for it was changed since.</p>
        ) : (
          <ul className="noted" aria-label="Changes since">
            {changes.map((change) => (
              <li key={change.audit_id}>
                <span>
                  {change.noun} {change.action.replaceAll('_', ' ')}
                </span>
                <span className="quiet">
                  <Time at={change.at} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  );
}

function Compared({
  before,
  after,
}: {
  readonly before: StageFigures;
  readonly after: StageFigures;
}) {
  return (
    <Table
      caption="Before and after"
      rows={[before, after]}
      rowKey={(figures) => (figures === before ? 'before' : 'after')}
      columns={[
        { title: 'In', cell: ({ stage }) => stage },
        { title: 'Calls', align: 'right', cell: ({ calls }) => count(calls) },
        { title: 'Subjects', align: 'right', cell: ({ subjects }) => count(subjects) },
        {
          title: 'Subjects refused',
          align: 'right',
          cell: ({ share_of_subjects: share }) => percent(share),
        },
        {
          title: 'Calls refused',
          align: 'right',
          cell: ({ share_of_calls: share }) => percent(share),
        },
      ]}
    />
  );
}
