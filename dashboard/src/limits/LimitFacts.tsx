import type { CanonicalLimit } from 'sluice/contract';
import { Card } from '../ui/Card.tsx';
import { algorithms } from './algorithms.ts';
import { textOf } from './fields/bind.ts';
import { limitInWords, perInWords } from './words.ts';

/** What a limit says, fact by fact. */
export function LimitFacts({
  limit,
  numbers,
}: {
  readonly limit: CanonicalLimit;
  readonly numbers: Readonly<Record<string, unknown>>;
}) {
  const told = new Set(['name', 'algorithm', 'per', ...Object.keys(numbers)]);
  const others = Object.entries(limit).filter(([field]) => !told.has(field));
  return (
    <Card title={limit.name} about={`${limitInWords(limit)}, ${perInWords(limit)}`}>
      <dl className="facts">
        <dt>Algorithm</dt>
        <dd>{algorithms[limit.algorithm].label}</dd>
        {[...Object.entries(numbers), ...others].map(([field, value]) => (
          <Fact key={field} field={field} value={value} />
        ))}
      </dl>
    </Card>
  );
}

function Fact({ field, value }: { readonly field: string; readonly value: unknown }) {
  return (
    <>
      <dt className="mono">{field}</dt>
      <dd className="mono">{textOf(value)}</dd>
    </>
  );
}
