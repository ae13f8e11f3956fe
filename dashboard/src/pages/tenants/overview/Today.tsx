import { useObject } from '../../../api/queries.ts';
import type { Tenant } from '../../../api/objects.ts';
import { Card } from '../../../ui/Card.tsx';
import { Loaded } from '../../../ui/States.tsx';
import { shortCount } from '../../../ui/words.ts';
import type { UsageReport } from '../usage/report.ts';

const stepsShown = 24;

/** What became of the calls of the last day. */
export function Today({ tenant }: { readonly tenant: Tenant }) {
  const query = useObject<UsageReport>('usage', '', { tenant_id: tenant.id, ...lastDay() });
  return (
    <Card title="Last 24 hours">
      <Loaded query={query} lines={2}>
        {({ totals, summary }) => (
          <div className="stack">
            <ul className="tenant-figures">
              <Tally tone="good" label="allowed" value={totals.allowed} />
              <Tally tone="warning" label="let in with a warning" value={totals.warned} />
              <Tally tone="bad" label="refused" value={totals.blocked} />
            </ul>
            <p className="quiet">{summary}</p>
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function Tally({
  tone,
  label,
  value,
}: {
  readonly tone: 'good' | 'warning' | 'bad';
  readonly label: string;
  readonly value: number;
}) {
  return (
    <li className={`tenant-figure tone-${tone}`}>
      <strong className="figures">{shortCount(value)}</strong>
      <span className="quiet">{label}</span>
    </li>
  );
}

/** By whole hours, so that the same question is not asked anew with every rendering. */
function lastDay() {
  const hourMs = 3_600_000;
  const hour = Math.floor(Date.now() / hourMs);
  return { step: 'hour', from: new Date((hour - stepsShown + 1) * hourMs).toISOString() };
}
