import { useMemo } from 'react';
import { TimeChart } from '../../../ui/chart/TimeChart.tsx';
import { shortCount } from '../../../ui/words.ts';
import type { Shown } from './bands.ts';
import type { UsageReport } from './report.ts';
import { secondOf, stepInWords } from './step-words.ts';

/** Every step of the span, with the figures of the one that is pointed at, else of the last. */
export function UsageChart({
  report,
  shown,
}: {
  readonly report: UsageReport;
  readonly shown: readonly Shown[];
}) {
  const { points, step, summary } = report;
  const { times, series } = useMemo(
    () => ({
      times: points.map(({ at }) => secondOf(at, step)),
      series: shown.map(({ id, ...look }) => ({ ...look, values: points.map((one) => one[id]) })),
    }),
    [points, step, shown],
  );
  return (
    <TimeChart
      label={summary}
      times={times}
      series={series}
      height={280}
      show={shortCount}
      when={(second) => stepInWords(second, step)}
    />
  );
}
