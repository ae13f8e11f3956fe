import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from '../../layout/theme.ts';
import type { Tone } from '../Badge.tsx';
import { chartOptions } from './chart-options.ts';
import './chart.css';

export type Series = {
  readonly label: string;
  readonly tone: Tone;
  /** One for each time; null where there is none. */
  readonly values: readonly (number | null)[];
  /** Told apart without colour. */
  readonly dash?: readonly number[];
  /** Filled down to the axis. */
  readonly isArea?: boolean;
};

export type TimeChartProps = {
  /** What the chart says, for who does not see it. */
  readonly label: string;
  /** Unix seconds, rising. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly height?: number;
  readonly show?: (value: number) => string;
};

/** Values over time on a canvas, which stays smooth with ten thousand points. */
export function TimeChart({ label, times, series, height = 200, show = String }: TimeChartProps) {
  const theme = useTheme();
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  // What the lines look like; what they say comes and goes without a new chart.
  const look = JSON.stringify([
    theme,
    height,
    series.map(({ label: name, tone, dash, isArea }) => [name, tone, dash, isArea]),
  ]);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const options = chartOptions(element, { series, height, show, onPoint: setPointed });
    const made = new uPlot(options, [[]], element);
    chart.current = made;
    const resized = new ResizeObserver(([entry]) => {
      if (entry) made.setSize({ width: entry.contentRect.width, height });
    });
    resized.observe(element);
    return () => {
      resized.disconnect();
      made.destroy();
    };
    // oxlint-disable-next-line react/exhaustive-deps -- `look` stands for all of it but the values
  }, [look]);
  useEffect(() => {
    chart.current?.setData([times, ...series.map(({ values }) => values)] as uPlot.AlignedData);
  }, [times, series, look]);
  const at = pointed ?? times.length - 1;
  return (
    <figure className="chart">
      <figcaption className="legend figures">
        {series.map(({ label: name, tone, values }) => (
          <span key={name} className={`legend-item tone-${tone}`}>
            <i aria-hidden="true" />
            {name}
            <strong>{valueAt(values, at, show)}</strong>
          </span>
        ))}
      </figcaption>
      <div ref={frame} className="chart-frame" role="img" aria-label={label} />
    </figure>
  );
}

function valueAt(
  values: readonly (number | null)[],
  at: number,
  show: (value: number) => string,
): string {
  const value = values[at];
  return value === undefined || value === null ? '–' : show(value);
}
