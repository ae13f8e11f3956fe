import { Link } from 'wouter';
import { useObject } from '../../../api/queries.ts';
import type { Tenant } from '../../../api/objects.ts';
import { Card } from '../../../ui/Card.tsx';
import { Meter } from '../../../ui/Meter.tsx';
import { Countdown } from '../../../ui/Time.tsx';
import { count } from '../../../ui/words.ts';
import { useMay } from '../may.ts';
import type { QuotaStanding } from '../objects.ts';

/** The calendar allowance, where the tenant has one; dealt out on a page of its own. */
export function QuotaNow({ tenant }: { readonly tenant: Tenant }) {
  const { isPlatform } = useMay();
  const { data: quota } = useObject<QuotaStanding>('quotas', tenant.id);
  if (!quota) return null;
  const { used, effective_limit: limit, unit, period, ends_at: endsAt } = quota;
  return (
    <Card
      title="Quota"
      actions={<Link href={isPlatform ? `/quotas/${tenant.id}` : '/quotas'}>Deal it out</Link>}
    >
      <div className="stack">
        <p>
          <strong className="figures">{used === null ? 'Unknown' : count(used)}</strong> of{' '}
          {count(limit)} {unit} this {period}
          <span className="quiet">
            , ends in <Countdown to={endsAt} />
          </span>
        </p>
        {used !== null && <Meter used={used} of={limit} label={`Quota of ${unit}`} />}
      </div>
    </Card>
  );
}
