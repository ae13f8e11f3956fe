import type { Step } from './report.ts';

export type Range = {
  readonly id: string;
  readonly label: string;
  readonly hours: number;
  /** What the service can tell them by: at most 1,500 steps, and minutes for two weeks. */
  readonly steps: readonly [Step, ...Step[]];
};

export const ranges: readonly [Range, ...Range[]] = [
  { id: 'hour', label: 'Last hour', hours: 1, steps: ['minute'] },
  { id: 'day', label: 'Last 24 hours', hours: 24, steps: ['minute', 'hour'] },
  { id: 'week', label: 'Last 7 days', hours: 7 * 24, steps: ['hour', 'day'] },
  { id: 'month', label: 'Last 30 days', hours: 30 * 24, steps: ['hour', 'day'] },
  { id: 'quarter', label: 'Last 90 days', hours: 90 * 24, steps: ['day'] },
  { id: 'year', label: 'Last year', hours: 365 * 24, steps: ['day'] },
];

const stepMs: Readonly<Record<Step, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

export function rangeOf(id: string): Range {
  return ranges.find((range) => range.id === id) ?? ranges[0];
}

/** The step asked for, if the range can be told by it. */
export function stepOf({ steps }: Range, step: Step): Step {
  return steps.includes(step) ? step : steps[0];
}

/** The first step that is shown; the last one is running. */
export function fromOf({ hours }: Range, step: Step, nowMs: number): string {
  const lengthMs = stepMs[step];
  const steps = Math.round((hours * 3_600_000) / lengthMs);
  return new Date((Math.floor(nowMs / lengthMs) - steps + 1) * lengthMs).toISOString();
}
