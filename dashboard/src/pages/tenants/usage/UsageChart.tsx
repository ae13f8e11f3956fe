import { TimeChart } from '../../../ui/chart/TimeChart.tsx';
import { shortCount } from '../../../ui/words.ts';
import type { Lines } from './lines.ts';
import type { UsageReport } from './report.ts';
import { stepInWords } from './step-words.ts';

/** Every step of the span, with the figures of the one that is pointed at, else of the last. */
export function UsageChart({
  report: { summary, step },
  lines: { times, series },
}: {
  readonly report: UsageReport;
  readonly lines: Lines;
}) {
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
