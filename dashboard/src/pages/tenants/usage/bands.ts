import type { Band } from '../../../ui/chart/chart-data.ts';
import type { Counts } from './report.ts';

/** What of the counts is shown, and how. */
export type Shown = Omit<Band, 'values'> & { readonly id: keyof Counts };

/** Of calls: these four together are all of them. */
export const ofCalls: readonly Shown[] = [
  { id: 'allowed', label: 'Allowed', color: '--good-fill', kind: 'area' },
  { id: 'warned', label: 'Let in with a warning', color: '--warning-fill', kind: 'area' },
  { id: 'degraded', label: 'Let in unasked', color: '--odd-fill', kind: 'area' },
  { id: 'blocked', label: 'Refused', color: '--bad-fill', kind: 'area' },
];

/** Of one limit: what it would have refused was let in, or refused by others. */
export const ofLimit: readonly Shown[] = [
  { id: 'allowed', label: 'Allowed', color: '--good-fill', kind: 'area' },
  { id: 'blocked', label: 'Refused', color: '--bad-fill', kind: 'area' },
  { id: 'would_block', label: 'Would have refused', color: '--odd', kind: 'line' },
];
