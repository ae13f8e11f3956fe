import { useState } from 'react';
import type { CanonicalLimit } from 'sluice/contract';
import { numbersOf } from 'sluice/contract';
import { Card } from '../ui/Card.tsx';
import { Code } from '../ui/Code.tsx';
import { draftsOf } from './draft.ts';
import { LimitFacts } from './LimitFacts.tsx';
import { Preview } from './preview/Preview.tsx';
import './limits.css';

/** Limits for who may not change them. */
export function LimitsView({ limits }: { readonly limits: readonly CanonicalLimit[] }) {
  const [open, setOpen] = useState(0);
  return (
    <div className="bench">
      <div className="stack">
        {limits.map((limit) => (
          <LimitFacts key={limit.name} limit={limit} numbers={numbersOf(limit)} />
        ))}
        <Card title="As JSON">
          <Code label="Limits as JSON" text={JSON.stringify(limits, null, 2)} wrap={false} />
        </Card>
      </div>
      <Preview limits={draftsOf(limits)} open={open} onOpen={setOpen} />
    </div>
  );
}
