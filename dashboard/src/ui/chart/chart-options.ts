import uPlot from 'uplot';
import { shortCount } from '../words.ts';
import { drawingOrder, type Band } from './chart-data.ts';

/** Whole numbers only: nobody calls half a time. */
const countSteps = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9].flatMap((unit) => [
  unit,
  2 * unit,
  5 * unit,
]);

// From so many seconds between two marks on: how they are spelled, and what is added on a new day.
const timeWords: uPlot.Axis.Values = [
  [28 * 86_400, '{MMM} {YYYY}', null, null, null, null, null, null, 1],
  [86_400, '{D} {MMM}', null, null, null, null, null, null, 1],
  [60, '{HH}:{mm}', null, null, '\n{D} {MMM}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', null, null, '\n{D} {MMM}', null, null, null, 1],
];

const headroom = 1.08;
const leastTop = 4;

export function chartOptions({
  bands,
  size,
  colorOf,
  onPoint,
}: {
  readonly bands: readonly Omit<Band, 'values'>[];
  readonly size: { readonly width: number; readonly height: number };
  readonly colorOf: (name: string) => string;
  readonly onPoint: (at: number | null) => void;
}): uPlot.Options {
  const axis = {
    stroke: colorOf('--quiet'),
    font: '12px Inter, system-ui, sans-serif',
    grid: { stroke: colorOf('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    ...size,
    // As the service counts: days are those of UTC.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: { y: { range: (_, __, max) => [0, Math.max(max * headroom, leastTop)] } },
    axes: [
      { ...axis, grid: { show: false }, values: timeWords, space: 70 },
      {
        ...axis,
        size: 52,
        incrs: countSteps,
        values: (_, splits) => splits.map((value) => shortCount(value)),
      },
    ],
    series: [{}, ...drawingOrder(bands).map((band) => seriesOf(band, colorOf))],
    hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? null)] },
  };
}

function seriesOf(
  { kind, color }: Omit<Band, 'values'>,
  colorOf: (name: string) => string,
): uPlot.Series {
  const drawn = colorOf(color);
  // What was counted in a step is so for all of it, up to the next.
  const paths = uPlot.paths.stepped?.({ align: 1 });
  return {
    points: { show: false },
    ...(paths && { paths }),
    ...(kind === 'area' ? { fill: drawn, width: 0 } : { stroke: drawn, width: 2 }),
  };
}
