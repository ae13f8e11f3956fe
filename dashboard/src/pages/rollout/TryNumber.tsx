import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Meter } from '../../ui/Meter.tsx';
import { Slider } from '../../ui/Slider.tsx';
import { Empty } from '../../ui/States.tsx';
import { count } from '../../ui/words.ts';
import { numbersToTry, refusedAt } from './alternatives.ts';
import { percent, type FullReport } from './report.ts';

/** What another number would have refused, of the calls that were seen. */
export function TryNumber({ report }: { readonly report: FullReport }) {
  const { alternatives, number: current, subjects, field, suggestion } = report;
  const [number, setNumber] = useState(current);
  const numbers = numbersToTry(alternatives, current);
  const at = Math.max(
    0,
    numbers.findLastIndex((one) => one <= number),
  );
  const { refused, share } = refusedAt(number, alternatives, subjects);
  const called = field.replaceAll('_', ' ');
  return (
    <Card title="Try another number" about="Of the calls that were seen, as they came.">
      {numbers.length === 0 ? (
        <Empty icon="gauge" title="No call was seen yet" />
      ) : (
        <div className="stack">
          <Slider
            label={called[0]?.toUpperCase() + called.slice(1)}
            value={at}
            min={0}
            max={numbers.length - 1}
            onChange={(next) => setNumber(numbers[next] ?? current)}
            show={(next) => count(numbers[next] ?? current)}
            hint={number === current ? 'As it is now.' : `Now it is ${count(current)}.`}
          />
          <div className="tried" aria-live="polite">
            <p className="tried-share">{percent(share)}</p>
            <p className="quiet">
              of subjects would have been refused something: {count(refused)} of{' '}
              {report.sampled && 'about '}
              {count(subjects)}
            </p>
            <Meter
              used={share * 100}
              of={100}
              label="Share of subjects refused"
              tone={share > report.verdict.thresholds.too_tight_above ? 'bad' : 'good'}
            />
          </div>
          <Suggested {...{ suggestion }} onUse={setNumber} />
          {report.algorithm === 'concurrency' && number > current && (
            <p className="hint">
              How many would be open beyond the slots that there are, nobody has seen: it may need
              more.
            </p>
          )}
        </div>
      )}
    </Card>
  );
}

function Suggested({
  suggestion: { number, at_most: atMost, known },
  onUse,
}: {
  readonly suggestion: FullReport['suggestion'];
  readonly onUse: (number: number) => void;
}) {
  if (number === null) return null;
  const words = { exact: '', estimate: 'about ', at_least: 'at least ' } as const;
  return (
    <p className="row">
      <span>
        To refuse at most {percent(atMost)}: {words[known]}
        <strong className="figures">{count(number)}</strong>
      </span>
      <Button size="small" onClick={() => onUse(number)}>
        Try it
      </Button>
    </p>
  );
}
