import { renderMarkdown } from '../markdown.ts';
import { grouped } from '../table.ts';
import { cpuRatioOf, medians, ratioOf, type Sample } from './measure.ts';

/** One line of the table. */
export type Line = {
  readonly row: string;
  readonly what: string;
  readonly against: string;
  readonly ratio: number;
  /** The same by processor time; null where there is none. */
  readonly cpuRatio: number | null;
  /** Null for a line that is only told. */
  readonly atLeast: number | null;
  readonly subject: Cells;
  readonly baseline: Cells;
};

type Cells = {
  readonly amount: string;
  readonly p50: string;
  readonly p99: string;
  readonly cpu: string;
};

export type Comparison = Pick<Line, 'row' | 'what' | 'against' | 'atLeast'> & {
  readonly subject: readonly Sample[];
  readonly baseline: readonly Sample[];
};

export function lineOf({ subject, baseline, ...said }: Comparison): Line {
  return {
    ...said,
    ratio: ratioOf(subject, baseline),
    cpuRatio: cpuRatioOf(subject, baseline),
    subject: cellsOf(medians(subject)),
    baseline: cellsOf(medians(baseline)),
  };
}

/** A line about times, of which there is no rate. */
export function timesLine(
  said: Pick<Line, 'row' | 'what' | 'against' | 'ratio'>,
  { subjectMs, baselineMs }: { readonly subjectMs: number; readonly baselineMs: number },
): Line {
  const cells = (ms: number) => ({ amount: `${grouped(ms)} ms`, p50: '', p99: '', cpu: '' });
  return {
    ...said,
    cpuRatio: null,
    atLeast: null,
    subject: cells(subjectMs),
    baseline: cells(baselineMs),
  };
}

function cellsOf({ perSecond, p50Ms, p99Ms, cpuUs }: Sample): Cells {
  const [p50, p99, cpu] = [p50Ms, p99Ms, cpuUs].map((value) => short(value));
  return { amount: `${grouped(perSecond)}/s`, p50: p50 ?? '', p99: p99 ?? '', cpu: cpu ?? '' };
}

const headings = ['', 'what', 'against', 'ratio', 'by µs', 'to reach', ''].concat([
  'subject',
  'baseline',
  'p50 ms',
  'p99 ms',
  'server µs',
]);
const rightAligned = new Set([3, 4, 7, 8, 9, 10, 11]);

export function renderTable(lines: readonly Line[]): string {
  return renderMarkdown([headings, ...lines.map(renderLine)], rightAligned);
}

function renderLine({ ratio, cpuRatio, atLeast, subject, baseline, ...said }: Line): string[] {
  return [
    said.row,
    said.what,
    said.against,
    `${ratio.toFixed(2)}x`,
    cpuRatio === null ? '' : `${cpuRatio.toFixed(2)}x`,
    atLeast === null ? '' : `>= ${atLeast}x`,
    atLeast === null ? '' : ratio >= atLeast ? 'ok' : 'short',
    subject.amount,
    baseline.amount,
    pair(subject.p50, baseline.p50),
    pair(subject.p99, baseline.p99),
    pair(subject.cpu, baseline.cpu),
  ];
}

function pair(subject: string, baseline: string): string {
  return subject === '' ? '' : `${subject} / ${baseline}`;
}

function short(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(1);
}
