import { useState, type PointerEvent } from 'react';
import { Empty } from '../../ui/States.tsx';
import { Table } from '../../ui/Table.tsx';
import { count } from '../../ui/words.ts';
import { dotsOf, lineOf, topOf } from './chart.ts';
import { percent, type FullReport } from './report.ts';

type Point = FullReport['series'][number];

/** Shares of subjects and of calls, over time. */
export function ShareChart({
  points,
  step,
  tightAbove,
}: {
  readonly points: readonly Point[];
  readonly step: 'hour' | 'day';
  /** Above this share of subjects it is too tight. */
  readonly tightAbove: number;
}) {
  const [at, setAt] = useState<number | null>(null);
  const seen = points.filter(({ calls }) => calls > 0);
  if (seen.length === 0) return <Empty icon="usage" title="No call was seen yet" />;
  const subjects = points.map(({ share_of_subjects: share }) => share);
  const calls = points.map(({ share_of_calls: share }) => share);
  const top = topOf([...subjects, ...calls, tightAbove]);
  const follow = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const along = Math.round(((event.clientX - left) / width) * (points.length - 1));
    setAt(Math.min(points.length - 1, Math.max(0, along)));
  };
  const told = (at === null ? undefined : points[at]) ?? seen.at(-1);
  return (
    <figure className="shares" aria-label="Share refused over time">
      <figcaption className="legend">
        <span className="legend-subjects">of subjects</span>
        <span className="legend-calls">of calls</span>
        <span className="legend-tight">too tight above {percent(tightAbove)}</span>
      </figcaption>
      <div className="shares-plot" onPointerMove={follow} onPointerLeave={() => setAt(null)}>
        <span className="shares-top">{percent(top)}</span>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          <path className="line-tight" d={`M0 ${100 - (tightAbove / top) * 100}H100`} />
          <path className="line-calls" d={lineOf(calls, top)} />
          <path className="line-subjects" d={lineOf(subjects, top)} />
          <path className="dots-calls" d={dotsOf(calls, top)} />
          <path className="dots-subjects" d={dotsOf(subjects, top)} />
        </svg>
      </div>
      <div className="shares-axis">
        <span>{timeOf(points[0], step)}</span>
        <span>{timeOf(points.at(-1), step)}</span>
      </div>
      <p className="hint figures">{told && sentenceOf(told, step)}</p>
      <details>
        <summary className="hint">As a table</summary>
        <PointTable points={seen} step={step} />
      </details>
    </figure>
  );
}

function PointTable({
  points,
  step,
}: {
  readonly points: readonly Point[];
  readonly step: 'hour' | 'day';
}) {
  return (
    <Table
      caption="Share refused over time"
      rows={points}
      rowKey={({ at }) => at}
      columns={[
        { title: 'When', cell: (point) => timeOf(point, step) },
        { title: 'Calls', align: 'right', cell: ({ calls }) => count(calls) },
        { title: 'Of calls', align: 'right', cell: ({ share_of_calls: one }) => percent(one) },
        {
          title: 'Of subjects',
          align: 'right',
          cell: ({ share_of_subjects: one }) => percent(one),
        },
      ]}
    />
  );
}

function sentenceOf(point: Point, step: 'hour' | 'day'): string {
  const { share_of_subjects: subjects, share_of_calls: calls } = point;
  return `${timeOf(point, step)}: ${percent(subjects)} of ${count(point.subjects)} subjects, ${percent(calls)} of ${count(point.calls)} calls`;
}

function timeOf(point: Point | undefined, step: 'hour' | 'day'): string {
  if (!point) return '';
  const day = { day: 'numeric', month: 'short' } as const;
  return new Date(point.at).toLocaleString(
    'en',
    step === 'day' ? day : { ...day, hour: '2-digit' },
  );
}
