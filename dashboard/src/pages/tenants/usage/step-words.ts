import type { Step } from './report.ts';

const day = { day: 'numeric', month: 'short' } as const;
const days = new Intl.DateTimeFormat('en-GB', { ...day, year: 'numeric' });
const moments = new Intl.DateTimeFormat('en-GB', {
  ...day,
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
});

/** When a step begins. Days are counted in UTC: each is shown as that day, wherever one is. */
export function secondOf(at: string, step: Step): number {
  const [date = at] = at.split('T');
  return Date.parse(step === 'day' ? `${date}T00:00` : at) / 1000;
}

export function stepInWords(second: number, step: Step): string {
  return (step === 'day' ? days : moments).format(second * 1000);
}
