import { useMemo } from 'react';
import type { LiveSecond } from '../../live/second.ts';
import { Card } from '../../ui/Card.tsx';
import { TimeChart, type Series } from '../../ui/chart/TimeChart.tsx';
import { latestLatency, milliseconds } from './figures.ts';

export function LatencyChart({ seconds }: { readonly seconds: readonly LiveSecond[] }) {
  const { times, series } = useMemo(() => linesOf(seconds), [seconds]);
  const { p50, p99 } = latestLatency(seconds);
  return (
    <Card title="Latency of a decision" className="narrow">
      <TimeChart
        label={`Latency over the last minutes; now p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}`}
        times={times}
        series={series}
        height={220}
        show={(value) => `${Number(value.toFixed(2))} ms`}
      />
    </Card>
  );
}

function linesOf(seconds: readonly LiveSecond[]): { times: number[]; series: Series[] } {
  return {
    times: seconds.map(({ at }) => at),
    series: [
      { label: 'p50', tone: 'accent', values: seconds.map(({ latency_ms: { p50 } }) => p50) },
      {
        label: 'p99',
        tone: 'odd',
        dash: [5, 3],
        values: seconds.map(({ latency_ms: { p99 } }) => p99),
      },
    ],
  };
}
