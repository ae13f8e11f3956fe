import { useEffect, useEffectEvent, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from '../../layout/theme.ts';
import { alignedData, type Band } from './chart-data.ts';
import { chartOptions } from './chart-options.ts';
import './chart.css';

export type TimeChartProps = {
  /** What it shows, for who does not see it; the figures belong into a table beside it. */
  readonly label: string;
  /** Of each point, since 1970. */
  readonly seconds: readonly number[];
  /** The lowest first. */
  readonly bands: readonly Band[];
  readonly height?: number;
  /** Which point is pointed at. */
  readonly onPoint: (at: number | null) => void;
};

/** Counts over time, on a canvas: as smooth with ten thousand points as with ten. */
export function TimeChart(props: TimeChartProps) {
  const theme = useTheme();
  // Made anew only where other things are shown, or in other colours; numbers are just replaced.
  const shape = props.bands.map(({ id }) => id).join(' ');
  return <Drawing key={`${theme} ${shape}`} {...props} />;
}

function Drawing({ label, seconds, bands, height = 280, onPoint }: TimeChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot | null>(null);
  const draw = useEffectEvent((element: HTMLElement) => {
    const options = chartOptions({
      bands,
      size: { width: element.clientWidth, height },
      colorOf: (name) => colorOf(element, name),
      onPoint,
    });
    return new uPlot(options, alignedData(seconds, bands), element);
  });
  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const chart = draw(element);
    const watcher = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    watcher.observe(element);
    drawn.current = chart;
    return () => {
      watcher.disconnect();
      chart.destroy();
    };
  }, [height]);
  useEffect(() => drawn.current?.setData(alignedData(seconds, bands)), [seconds, bands]);
  return <div ref={host} className="chart" role="img" aria-label={label} />;
}

/** Custom properties tell how a colour is chosen; what a canvas takes is the chosen one. */
function colorOf(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
}
