import type uPlot from 'uplot';
import { hues, type Hue } from './hues.ts';
import type { Series } from './TimeChart.tsx';

export type ChartLook = {
  readonly series: readonly Series[];
  readonly height: number;
  readonly show: (value: number) => string;
  readonly onPoint: (at: number | null) => void;
};

/** In the colours of the page, as they are where the chart stands. */
export function chartOptions(element: HTMLElement, look: ChartLook): uPlot.Options {
  const colour = (name: string) => colourOf(element, name);
  const grid = { stroke: colour('--line'), width: 1 };
  const axis = {
    stroke: colour('--faint'),
    font: '11px Inter, sans-serif',
    grid,
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: look.height,
    legend: { show: false },
    // Room for the last mark's words.
    padding: [8, 26, 0, 0],
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    scales: { y: { range: (_chart, _min, max) => [0, niceMax(max)] } },
    axes: [
      {
        ...axis,
        space: 70,
        size: 26,
        values: (_chart, ticks, _axis, _space, everyS) =>
          ticks.map((tick) => momentOf(tick, everyS)),
      },
      {
        ...axis,
        size: 44,
        gap: 4,
        values: (_chart, ticks) => ticks.map((tick) => look.show(tick)),
      },
    ],
    series: [
      {},
      ...look.series.map(({ tone, dash, isArea, label }) => {
        const stroke = colour(toneColours[tone]);
        return {
          label,
          stroke,
          width: 1.75,
          points: { show: false },
          ...(dash && dash.length > 0 && { dash: [...dash] }),
          ...(isArea === true && { fill: translucent(stroke) }),
        };
      }),
    ],
    hooks: { setCursor: [(chart) => look.onPoint(chart.cursor.idx ?? null)] },
  };
}

const toneColours: Readonly<Record<Series['tone'], string>> = {
  neutral: '--faint',
  accent: '--accent',
  good: '--good-fill',
  bad: '--bad-fill',
  warning: '--warning-fill',
  odd: '--odd-fill',
  ...(Object.fromEntries(hues.map((hue) => [hue, `--${hue}`])) as Record<Hue, string>),
};

/** A canvas knows no custom properties, and none of `light-dark()`: the browser resolves both. */
function colourOf(element: HTMLElement, name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function translucent(colour: string): string {
  return colour.replace('rgb(', 'rgba(').replace(')', ', 0.12)');
}

/** Room above the highest value, and some of it where there is none yet. */
function niceMax(max: number | null): number {
  return Math.max(1, (max ?? 0) * 1.1);
}

/** As exact as the marks are apart. */
function momentOf(second: number, everyS: number): string {
  const date = new Date(second * 1000);
  if (everyS >= 86_400) return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
  const time = date.toLocaleTimeString('en-GB');
  return everyS >= 60 ? time.slice(0, 5) : time;
}
