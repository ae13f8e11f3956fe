import { useMemo } from 'react';
import type { LiveSecond } from '../../live/second.ts';
import { Card } from '../../ui/Card.tsx';
import { TimeChart, type Series } from '../../ui/chart/TimeChart.tsx';
import { shortCount } from '../../ui/words.ts';
import { lately, perSecond, wouldRefuse } from './figures.ts';

export function DecisionsChart({ seconds }: { readonly seconds: readonly LiveSecond[] }) {
  const { times, series } = useMemo(() => linesOf(seconds), [seconds]);
  return (
    <Card title="Decisions a second" className="wide">
      <TimeChart
        label={`Decisions a second over the last minutes; now ${perSecond(lately(seconds, ({ decisions }) => decisions))}`}
        times={times}
        series={series}
        height={220}
        show={shortCount}
      />
    </Card>
  );
}

function linesOf(seconds: readonly LiveSecond[]): { times: number[]; series: Series[] } {
  return {
    times: seconds.map(({ at }) => at),
    series: [
      {
        label: 'Allowed',
        tone: 'good',
        isArea: true,
        values: seconds.map(({ outcomes }) => outcomes.allowed),
      },
      {
        label: 'Refused',
        tone: 'bad',
        isArea: true,
        dash: [6, 3],
        values: seconds.map(({ outcomes }) => outcomes.blocked),
      },
      { label: 'Would refuse', tone: 'warning', dash: [2, 3], values: seconds.map(wouldRefuse) },
      {
        label: 'Degraded',
        tone: 'odd',
        dash: [8, 3, 2, 3],
        values: seconds.map(({ outcomes }) => outcomes.degraded),
      },
    ],
  };
}
