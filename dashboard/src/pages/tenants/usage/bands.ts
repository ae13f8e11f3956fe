import type { Series } from '../../../ui/chart/TimeChart.tsx';
import type { Counts } from './report.ts';

/** What of the counts is shown, and how. */
export type Shown = Omit<Series, 'values'> & { readonly id: keyof Counts };

const allowed: Shown = { id: 'allowed', label: 'Allowed', tone: 'good', isArea: true };
const refused: Shown = {
  id: 'blocked',
  label: 'Refused',
  tone: 'bad',
  isArea: true,
  dash: [6, 3],
};

/** Of calls: these four together are all of them. */
export const ofCalls: readonly Shown[] = [
  allowed,
  refused,
  { id: 'warned', label: 'Would refuse', tone: 'warning', dash: [2, 3] },
  { id: 'degraded', label: 'Degraded', tone: 'odd', dash: [8, 3, 2, 3] },
];

/** Of one limit: what it would have refused was let in, or refused by others. */
export const ofLimit: readonly Shown[] = [
  allowed,
  refused,
  { id: 'would_block', label: 'Would refuse', tone: 'warning', dash: [2, 3] },
];
