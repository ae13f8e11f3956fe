import { useMemo, useState } from 'react';
import type { Limit } from 'sluice/core';
import { Tabs } from '../../ui/Tabs.tsx';
import { exampleAnswer, type Example } from '../model/example.ts';

/** The answers to the first call, and to the one after the allowance is gone. */
export function Headers({
  limits,
  usedUp,
}: {
  readonly limits: readonly Limit[];
  readonly usedUp: Limit | null;
}) {
  const [shown, setShown] = useState<'first' | 'last'>('first');
  const first = useMemo(() => exampleAnswer(limits, null), [limits]);
  const last = useMemo(() => exampleAnswer(limits, usedUp), [limits, usedUp]);
  const tabs = [
    { id: 'first', label: `${first.status} first call` },
    { id: 'last', label: `${last.status} ${usedUp?.name ?? ''} used up` },
  ] as const;
  return (
    <Tabs label="Example answers" tabs={tabs} current={shown} onChange={setShown}>
      <Answer example={shown === 'first' ? first : last} />
    </Tabs>
  );
}

function Answer({ example: { status, headers, message } }: { readonly example: Example }) {
  return (
    <>
      <dl className="header-list mono">
        {Object.entries(headers).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {status === 429 && <p className="quiet refusal">{message}</p>}
    </>
  );
}
