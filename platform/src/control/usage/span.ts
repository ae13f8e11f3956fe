import { InvalidInput } from 'sluice';
import { parseInstant } from '../rows.ts';
import { keptDays } from './retention.ts';
import { startOf, stepMs, type Step } from './usage-lines.ts';

/** Whole steps, in UTC. */
export type Span = { readonly from: Date; readonly to: Date; readonly step: Step };

export type SpanInput = {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly step?: Step | undefined;
};

export const pointsDefault = 60;
export const pointsMax = 1500;

/** The last hour by the minute unless asked otherwise, the running step included. */
export function parseSpan(input: SpanInput, nowMs = Date.now()): Span {
  const step = input.step ?? 'minute';
  const lengthMs = stepMs[step];
  const endMs = input.to === undefined ? nowMs : parseInstant('to', input.to).getTime();
  const toMs = Math.ceil(endMs / lengthMs) * lengthMs;
  const fromMs =
    input.from === undefined
      ? toMs - pointsDefault * lengthMs
      : startOf(step, parseInstant('from', input.from).getTime());
  if (fromMs >= toMs) throw new InvalidInput('from', 'must be before `to`');
  if ((toMs - fromMs) / lengthMs > pointsMax) {
    throw new InvalidInput('from', `lies over ${pointsMax} steps back; use a longer step`);
  }
  requireKept(step, fromMs, nowMs);
  return { from: new Date(fromMs), to: new Date(toMs), step };
}

/** What was deleted would look as if there had been nothing. */
function requireKept(step: Step, fromMs: number, nowMs: number): void {
  if (step === 'day') return;
  const days = keptDays[step];
  if (fromMs >= startOf(step, nowMs - days * stepMs.day)) return;
  throw new InvalidInput('from', `is further back than ${days} days; use a longer step`);
}
