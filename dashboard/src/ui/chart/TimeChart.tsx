import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from '../../layout/theme.ts';
import type { Tone } from '../Badge.tsx';
import { chartOptions } from './chart-options.ts';
import type { Hue } from './hues.ts';
import { perFrame } from './per-frame.ts';
import './chart.css';

export type Series = {
  readonly label: string;
  readonly tone: Tone | Hue;
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
  /** Which moment the figures are of, where that is said. */
  readonly when?: (second: number) => string;
};

/** Values over time on a canvas, which stays smooth with ten thousand points. */
export function TimeChart(props: TimeChartProps) {
  const { label, times, series, height = 200, show = String, when } = props;
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
    const pointing = perFrame(setPointed);
    const options = chartOptions(element, { series, height, show, onPoint: pointing.put });
    const made = new uPlot(options, [[]], element);
    chart.current = made;
    const resized = new ResizeObserver(([entry]) => {
      if (entry) made.setSize({ width: entry.contentRect.width, height });
    });
    resized.observe(element);
    return () => {
      pointing.cancel();
      resized.disconnect();
      made.destroy();
    };
    // oxlint-disable-next-line react/exhaustive-deps -- `look` stands for all of it but the values
  }, [look]);
  useEffect(() => {
    chart.current?.setData([times, ...series.map(({ values }) => values)] as uPlot.AlignedData);
  }, [times, series, look]);
  const at = pointed ?? times.length - 1;
  const second = times[at];
  return (
    <figure className="chart">
      <figcaption className="legend figures">
        {when && second !== undefined && <span className="legend-when">{when(second)}</span>}
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
