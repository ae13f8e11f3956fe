import { Countdown } from '../../ui/Time.tsx';
import type { QuotaReport } from './quota.ts';

/** Which period is shown, and how long it lasts. */
export function PeriodLine({ report }: { readonly report: QuotaReport }) {
  const { starts_at: from, ends_at: to } = report;
  return (
    <>
      {dayOf(from)} to {dayOf(to)}: starts anew in <Countdown to={to} />
    </>
  );
}

function dayOf(at: string): string {
  return new Date(at).toLocaleDateString('en', { day: 'numeric', month: 'short', year: 'numeric' });
}
