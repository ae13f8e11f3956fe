import { useState } from 'react';
import { useSession } from '../../session/session.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Time } from '../../ui/Time.tsx';
import { count } from '../../ui/words.ts';
import { PromoteDialog } from './PromoteDialog.tsx';
import { definerOf, percent, type FullReport, verdictInWords } from './report.ts';
import { StepBackDialog } from './StepBackDialog.tsx';

const stages = ['shadow', 'warn', 'enforce'] as const;

/** Where it stands, how it does there, and the way on. */
export function StageCard({
  report,
  isOneOf,
}: {
  readonly report: FullReport;
  readonly isOneOf: number;
}) {
  const { canWrite, tenantId } = useSession();
  const [open, setOpen] = useState<'promote' | 'back' | null>(null);
  const close = () => setOpen(null);
  const { stage, enforce_from: from } = report;
  const mayStep = canWrite && tenantId === null && stage !== null;
  const isBackPossible = stage === 'warn' || stage === 'enforce' || from !== null;
  const { label, tone } = verdictInWords(report.verdict.verdict);
  return (
    <Card
      title={`${report.field.replaceAll('_', ' ')} ${count(report.number)}`}
      about={`${report.algorithm.replaceAll('_', ' ')}, defined by the ${definerOf(report)}`}
      actions={
        mayStep && (
          <>
            {isBackPossible && <Button onClick={() => setOpen('back')}>Step back</Button>}
            {stage !== 'enforce' && (
              <Button variant="primary" icon="arrow" onClick={() => setOpen('promote')}>
                Promote
              </Button>
            )}
          </>
        )
      }
    >
      <div className="stack">
        <ol className="stages" aria-label="Stages">
          {stages.map((one) => (
            <li key={one} {...(one === stage && { 'aria-current': 'step' })}>
              {one}
            </li>
          ))}
        </ol>
        <p>
          <Badge tone={tone}>{label}</Badge> {report.verdict.reason}.
        </p>
        {from !== null && (
          <p className="notice tone-warning">
            It enforces by itself from {new Date(from).toLocaleString()} (<Time at={from} />) on.
          </p>
        )}
        <Figures report={report} />
      </div>
      {open === 'promote' && <PromoteDialog {...{ report, isOneOf }} onClose={close} />}
      {open === 'back' && <StepBackDialog {...{ report, isOneOf }} onClose={close} />}
    </Card>
  );
}

function Figures({ report }: { readonly report: FullReport }) {
  const { observed, since } = report;
  return (
    <dl className="tiles">
      <div>
        <dt>Subjects refused</dt>
        <dd>{percent(report.share_of_subjects)}</dd>
        <dd className="hint">
          {count(report.refused_subjects)} of {report.sampled && 'about '}
          {count(report.subjects)}
        </dd>
      </div>
      <div>
        <dt>Calls refused</dt>
        <dd>{percent(report.share_of_calls)}</dd>
        <dd className="hint">
          {count(report.would_refuse)} of {count(report.calls)}
        </dd>
      </div>
      <div>
        <dt>Watched in</dt>
        <dd>{observed.stage ?? 'no stage'}</dd>
        <dd className="hint">
          since <Time at={since ?? observed.from} />
        </dd>
      </div>
    </dl>
  );
}
