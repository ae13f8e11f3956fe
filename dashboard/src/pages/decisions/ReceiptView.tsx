import { ApiProblem } from '../../api/problem.ts';
import { useObject } from '../../api/queries.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Card } from '../../ui/Card.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Empty, Failed, Loading } from '../../ui/States.tsx';
import { Countdown } from '../../ui/Time.tsx';
import { outcomeInWords, supportText, type Receipt } from './receipt.ts';
import { ReceiptFacts } from './ReceiptFacts.tsx';
import { ReceiptLimits } from './ReceiptLimits.tsx';

export function ReceiptView({ id }: { readonly id: string }) {
  const receipt = useObject<Receipt>('decisions', encodeURIComponent(id));
  if (receipt.data) return <Shown receipt={receipt.data} />;
  if (receipt.error instanceof ApiProblem && receipt.error.status === 404) return <NoReceipt />;
  if (receipt.error) return <Failed error={receipt.error} onRetry={() => receipt.refetch()} />;
  return <Loading lines={6} />;
}

function Shown({ receipt }: { readonly receipt: Receipt }) {
  const { label, tone } = outcomeInWords(receipt.outcome);
  const clearsAt = receipt.clears_at;
  return (
    <>
      <Card
        title={<Badge tone={tone}>{label}</Badge>}
        actions={<CopyButton text={supportText(receipt)} label="Copy for support" />}
      >
        <div className="stack">
          <p className="receipt-happened">{receipt.what_happened}</p>
          <p className={`notice tone-${receipt.allowed ? 'neutral' : 'accent'}`}>
            <Icon name="arrow" />
            <span>
              <strong>What to do: </strong>
              {receipt.what_to_do}
            </span>
          </p>
          {clearsAt !== null && (
            <p className="quiet">
              Until it clears: <Countdown to={clearsAt} over="over, if nobody else called" />
            </p>
          )}
        </div>
      </Card>
      <ReceiptLimits limits={receipt.limits} blocker={receipt.blocked_by?.limit ?? null} />
      <ReceiptFacts receipt={receipt} />
    </>
  );
}

function NoReceipt() {
  return (
    <Card>
      <Empty icon="decision" title="No receipt of this id">
        Receipts are written within about two seconds, and kept for some days. Of calls that were
        merely allowed only a sample has one; under a flood the first refusal of a subject in a
        second has, and counts the others. Look among all decisions, by tenant and outcome.
      </Empty>
    </Card>
  );
}
