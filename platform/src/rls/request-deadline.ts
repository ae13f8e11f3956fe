import { Deadline } from 'sluice';
import type { RlsSettings } from './settings.ts';

const moreMsMin = 3;
const moreShare = 0.1;

/**
 * For all that a request takes. A little longer than for one call of the store, which begins later and
 * whose end is to be heard first: then each limit's own policy decides, else that of the door.
 */
export function requestDeadline({ deadlineMs }: Pick<RlsSettings, 'deadlineMs'>): Deadline {
  return new Deadline(deadlineMs + Math.max(moreMsMin, moreShare * deadlineMs));
}
