import { renderMarkdown } from './markdown.ts';
import { medians, ratioOf, type Sample } from './measure.ts';

/** One line of the table. */
export type Line = {
  readonly row: number;
  readonly what: string;
  readonly against: string;
  readonly ratio: number;
  /** Null for a line that is only told. */
  readonly toReach: Target | null;
  readonly subject: Cells;
  readonly baseline: Cells;
};

export type Target = { readonly atLeast: number } | { readonly atMost: number };

/** What is printed of one side: a rate or a size, and what a call costs server and client. */
export type Cells = {
  readonly amount: string;
  readonly serverUs: number | null;
  readonly clientUs: number | null;
};

export type Comparison = Pick<Line, 'row' | 'what' | 'against' | 'toReach'> & {
  readonly subject: readonly Sample[];
  readonly baseline: readonly Sample[];
};

export function lineOf({ subject, baseline, ...said }: Comparison): Line {
  return {
    ...said,
    ratio: ratioOf(subject, baseline),
    subject: cellsOf(medians(subject)),
    baseline: cellsOf(medians(baseline)),
  };
}

function cellsOf({ callsPerSecond, serverUs, clientUs }: Sample): Cells {
  return { amount: `${grouped(callsPerSecond)}/s`, serverUs, clientUs };
}

const headings = ['', 'what', 'against', 'ratio', 'to reach', ''].concat([
  'subject',
  'baseline',
  'server µs',
  'client µs',
]);
/** Columns of numbers. */
const rightAligned = new Set([0, 3, 6, 7, 8, 9]);

export function renderTable(lines: readonly Line[]): string {
  return renderMarkdown([headings, ...lines.map(renderLine)], rightAligned);
}

function renderLine({ row, what, against, ratio, toReach, subject, baseline }: Line): string[] {
  return [
    String(row),
    what,
    against,
    `${ratio.toFixed(2)}x`,
    toReach ? renderTarget(toReach) : '',
    toReach ? (isReached(ratio, toReach) ? 'ok' : 'short') : '',
    subject.amount,
    baseline.amount,
    renderPair(subject.serverUs, baseline.serverUs),
    renderPair(subject.clientUs, baseline.clientUs),
  ];
}

export function renderTarget(target: Target): string {
  return 'atLeast' in target
    ? `>= ${target.atLeast.toFixed(1)}x`
    : `<= ${target.atMost.toFixed(1)}x`;
}

export function isReached(ratio: number, target: Target): boolean {
  return 'atLeast' in target ? ratio >= target.atLeast : ratio <= target.atMost;
}

function renderPair(subject: number | null, baseline: number | null): string {
  return subject === null || baseline === null ? '' : `${short(subject)} / ${short(baseline)}`;
}

function short(us: number): string {
  return us < 10 ? us.toFixed(2) : us.toFixed(1);
}

export function grouped(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
