import type { Limit } from 'sluice/core';
import { count, waitInWords } from '../../ui/words.ts';
import type { Simulation } from '../model/simulate.ts';
import { percent } from '../words.ts';

/** What the drawing shows, for who does not see it, and for who wants figures. */
export function simulationInWords(simulation: Simulation, { mode, unit }: Limit): string {
  const { asked, admitted, spanSeconds, firstRefusalSeconds } = simulation;
  const what = unit === 'requests' ? 'calls' : `${unit} (one a call)`;
  const span = waitInWords(spanSeconds * 1000);
  if (firstRefusalSeconds === null) {
    return `All ${count(asked)} ${what} in ${span} are let through.`;
  }
  const verb = mode === 'enforce' ? 'are' : 'would be';
  const share = percent(Math.round((admitted / asked) * 1000) / 1000);
  const when =
    firstRefusalSeconds === 0 ? 'at once' : `after ${waitInWords(firstRefusalSeconds * 1000)}`;
  return `In ${span}, ${count(admitted)} of ${count(asked)} ${what} ${verb} let through (${share}). The first refusal comes ${when}.`;
}
