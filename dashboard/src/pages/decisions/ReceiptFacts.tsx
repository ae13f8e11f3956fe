import { Card } from '../../ui/Card.tsx';
import { Time } from '../../ui/Time.tsx';
import { count } from '../../ui/words.ts';
import type { Receipt } from './receipt.ts';

/** Who called what, and which configuration decided. */
export function ReceiptFacts({ receipt }: { readonly receipt: Receipt }) {
  const { costs, epoch, repeats } = receipt;
  return (
    <div className="cards">
      <Card title="The call">
        <dl className="facts">
          <dt>When</dt>
          <dd>
            <Time at={receipt.at} /> <span className="quiet">{receipt.at}</span>
          </dd>
          <dt>Tenant</dt>
          <dd>{receipt.tenant.name}</dd>
          <dt>Subject</dt>
          <dd>{receipt.subject}</dd>
          <dt>Resource</dt>
          <dd className="mono">{receipt.resource}</dd>
          <dt>Cost</dt>
          <dd>
            {Object.entries(costs)
              .map(([unit, cost]) => `${count(cost)} ${unit}`)
              .join(', ') || count(receipt.cost)}
          </dd>
          {repeats > 0 && (
            <>
              <dt>Repeated</dt>
              <dd>{count(repeats)} more in the same second</dd>
            </>
          )}
        </dl>
      </Card>
      <Card title="How it was decided">
        <dl className="facts">
          <dt>Basis</dt>
          <dd>
            {receipt.basis}
            {receipt.degraded_reason !== null && ` (${receipt.degraded_reason})`}
          </dd>
          <dt>Policy</dt>
          <dd className="mono">{receipt.policy ?? 'none'}</dd>
          <dt>Plan</dt>
          <dd className="mono">{receipt.plan_id ?? 'none'}</dd>
          <dt>Config epoch</dt>
          <dd className="figures">
            tenant {epoch.tenant}, shared {epoch.shared}
          </dd>
          <dt>Asked at</dt>
          <dd className="mono">{receipt.route}</dd>
          <dt>Request</dt>
          <dd className="mono">{receipt.request_id ?? 'unknown'}</dd>
          <dt>In the logs</dt>
          <dd className="mono">{receipt.subject_hash}</dd>
        </dl>
      </Card>
    </div>
  );
}
