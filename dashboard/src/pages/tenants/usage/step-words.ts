import type { Step } from './report.ts';

const day = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
const clock = { hour: '2-digit', minute: '2-digit', hour12: false } as const;
const days = new Intl.DateTimeFormat('en-GB', { ...day, year: 'numeric' });
const moments = new Intl.DateTimeFormat('en-GB', { ...day, ...clock });

/** Which step begins then; all in UTC, as they are counted. */
export function stepInWords(at: string, step: Step): string {
  const date = new Date(at);
  return step === 'day' ? days.format(date) : `${moments.format(date)} UTC`;
}
