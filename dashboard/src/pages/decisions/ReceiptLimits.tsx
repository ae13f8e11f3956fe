import { Badge } from '../../ui/Badge.tsx';
import { Card } from '../../ui/Card.tsx';
import { Meter } from '../../ui/Meter.tsx';
import { Empty } from '../../ui/States.tsx';
import { Table } from '../../ui/Table.tsx';
import { count, waitInWords } from '../../ui/words.ts';
import { numbersInWords, type ReceiptLimit } from './receipt.ts';

/** Every limit that was asked, with its numbers and counters as they were. */
export function ReceiptLimits({
  limits,
  blocker,
}: {
  readonly limits: readonly ReceiptLimit[];
  /** The one that refused. */
  readonly blocker: string | null;
}) {
  return (
    <Card title="Limits" about="As they stood when it was decided." flush>
      <Table
        caption="Limits"
        rows={limits}
        rowKey={({ name }) => name}
        empty={
          <Empty icon="plan" title="No limit applied">
            Neither the plan nor a policy has one for this call, or the caller was blocked before
            any was asked.
          </Empty>
        }
        columns={[
          { title: 'Limit', cell: (limit) => <Named limit={limit} /> },
          { title: 'Verdict', cell: (limit) => <Verdict limit={limit} blocker={blocker} /> },
          { title: 'Used', cell: (limit) => <Counter limit={limit} /> },
          { title: 'Cost', align: 'right', cell: ({ cost }) => count(cost) },
          {
            title: 'Retry after',
            align: 'right',
            cell: ({ retry_after_ms: ms, allowed }) =>
              allowed ? '' : ms === null ? 'never fits' : waitInWords(ms),
          },
          { title: 'Override', cell: (limit) => <Override limit={limit} /> },
        ]}
      />
    </Card>
  );
}

function Named({ limit }: { readonly limit: ReceiptLimit }) {
  return (
    <>
      <strong>{limit.name}</strong>
      <p className="hint">
        {limit.algorithm.replaceAll('_', ' ')} per {limit.per.join(', ')}:{' '}
        {numbersInWords(limit.numbers)}
      </p>
    </>
  );
}

function Verdict({
  limit,
  blocker,
}: {
  readonly limit: ReceiptLimit;
  readonly blocker: string | null;
}) {
  const { allowed, mode, name } = limit;
  if (allowed) return <Badge tone="good">fits</Badge>;
  if (mode === 'enforce') {
    return <Badge tone="bad">{name === blocker ? 'refused' : 'refused too'}</Badge>;
  }
  return <Badge tone="warning">would refuse ({mode})</Badge>;
}

function Counter({ limit }: { readonly limit: ReceiptLimit }) {
  const { used, limit: size, remaining, name, unit } = limit;
  return (
    <div className="receipt-counter">
      <Meter used={used} of={size} label={`Used of ${name}`} />
      <span className="hint figures">
        {count(used)} of {count(size)} {unit}, {count(remaining)} left
      </span>
    </div>
  );
}

function Override({ limit }: { readonly limit: ReceiptLimit }) {
  if (limit.override_id === null) return <span className="quiet">none</span>;
  return (
    <>
      <span className="mono">{limit.override_id.slice(-8)}</span>
      <p className="hint">without it {count(limit.base_limit)}</p>
    </>
  );
}
