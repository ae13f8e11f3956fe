import { Badge } from '../../../ui/Badge.tsx';
import { waitInWords } from '../../../ui/words.ts';
import type { Answer } from '../burst/answer.ts';

/** All that one answer said. */
export function AnswerDetails({ answer }: { readonly answer: Answer }) {
  const { decision, status, tookMs, headers, number } = answer;
  const { allowed, limit, remaining, retry_after_ms: waitMs } = decision;
  return (
    <div className="answer-details">
      <div className="answer-words">
        <div className="row">
          <Badge tone={allowed ? 'good' : 'bad'}>{allowed ? 'Allowed' : 'Refused'}</Badge>
          <strong>Answer {number}</strong>
          <span className="quiet figures">
            {status} in {Math.max(1, Math.round(tookMs))} ms
          </span>
        </div>
        <p>{decision.message}</p>
        <dl className="facts">
          <dt>Remaining</dt>
          <dd className="figures">{remaining === null ? '–' : `${remaining} of ${limit}`}</dd>
          <dt>Try again</dt>
          <dd className="figures">{allowed ? 'at once' : waitOf(waitMs)}</dd>
        </dl>
      </div>
      <dl className="facts headers mono">
        {headers.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function waitOf(waitMs: number | null): string {
  return waitMs === null ? 'never: it is too large' : `in ${waitInWords(waitMs)}`;
}
