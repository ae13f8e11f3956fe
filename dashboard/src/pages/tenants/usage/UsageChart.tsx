import { useMemo, useState } from 'react';
import { TimeChart } from '../../../ui/chart/TimeChart.tsx';
import { count } from '../../../ui/words.ts';
import type { Shown } from './bands.ts';
import type { UsagePoint, UsageReport } from './report.ts';
import { stepInWords } from './step-words.ts';

/** The series, and its figures: of the point that is pointed at, else of all. */
export function UsageChart({
  report,
  shown,
}: {
  readonly report: UsageReport;
  readonly shown: readonly Shown[];
}) {
  const [pointed, setPointed] = useState<number | null>(null);
  const { seconds, bands } = useMemo(() => drawable(report, shown), [report, shown]);
  const point = pointed === null ? undefined : pointAt(report.points, pointed);
  return (
    <figure className="usage-chart">
      <figcaption className="legend">
        <span className="legend-when">{point ? stepInWords(point.at, report.step) : 'In all'}</span>
        {shown.map(({ id, label, color }) => (
          <span key={id} className="legend-entry">
            <span className="legend-key" style={{ background: `var(${color})` }} />
            {label} <strong className="figures">{count((point ?? report.totals)[id])}</strong>
          </span>
        ))}
      </figcaption>
      <TimeChart label={report.summary} seconds={seconds} bands={bands} onPoint={setPointed} />
    </figure>
  );
}

/** The last step reaches to the end of the span, as the others reach to their successors. */
function pointAt(points: readonly UsagePoint[], at: number): UsagePoint | undefined {
  return points[Math.min(at, points.length - 1)];
}

function drawable({ points, to }: UsageReport, shown: readonly Shown[]) {
  const last = points.at(-1);
  const steps = last ? [...points, { ...last, at: to }] : points;
  return {
    seconds: steps.map(({ at }) => Date.parse(at) / 1000),
    bands: shown.map((band) => ({ ...band, values: steps.map((point) => point[band.id]) })),
  };
}
