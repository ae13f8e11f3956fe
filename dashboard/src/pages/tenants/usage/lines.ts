import { dashes, hues } from '../../../ui/chart/hues.ts';
import type { Series } from '../../../ui/chart/TimeChart.tsx';
import { ofCalls, ofLimit } from './bands.ts';
import type { Counts, UsageReport } from './report.ts';
import { secondOf } from './step-words.ts';

/** A report as lines over time: what is drawn, and what can be read as a table. */
export type Lines = { readonly times: readonly number[]; readonly series: readonly Series[] };

/** One line for each outcome; of a report by resource, one for each of these. */
export function linesOf({ points, step, limit_name: limit, groups }: UsageReport): Lines {
  const times = points.map(({ at }) => secondOf(at, step));
  if (groups.length > 0) return { times, series: groups.map(lineOf) };
  const shown = limit === null ? ofCalls : ofLimit;
  const series = shown.map(({ id, ...look }) => ({
    ...look,
    values: points.map((point) => point[id]),
  }));
  return { times, series };
}

function lineOf({ name, points }: UsageReport['groups'][number], at: number): Series {
  const hue = hues[at % hues.length] ?? hues[0];
  return {
    label: resourceInWords(name),
    tone: hue,
    dash: dashes[hue],
    values: points.map(callsOf),
  };
}

/** Whatever became of them. */
function callsOf({ allowed, warned, blocked, degraded }: Counts): number {
  return allowed + warned + blocked + degraded;
}

/** The service counts by the patterns of policies, and by `*` what no policy is for. */
export function resourceInWords(name: string): string {
  return name === '*' ? 'everything else' : name;
}
