import { Meter } from '../../ui/Meter.tsx';
import { count } from '../../ui/words.ts';
import { excessOf, numberOf, sumOf, type Part } from './draft.ts';

/** How much of a level its parts are promised. */
export function Allocated({
  called,
  limit,
  parts,
  partsName,
  overcommit,
}: {
  readonly called: string;
  readonly limit: string;
  readonly parts: readonly Part[];
  readonly partsName: string;
  readonly overcommit: boolean;
}) {
  const sum = sumOf(parts);
  const excess = excessOf(limit, parts);
  const tone = excess === 0 ? 'odd' : overcommit ? 'warning' : 'bad';
  return (
    <div className="quota-bar">
      <Meter
        used={sum}
        of={numberOf(limit)}
        label={`Allocated by ${called} to its ${partsName}`}
        tone={tone}
      />
      <p className={`hint figures ${excess > 0 ? `quota-excess tone-${tone}` : ''}`}>
        {count(sum)}
        <span className="quota-unit"> allocated to {partsName}</span> ·{' '}
        {excess > 0
          ? `${count(excess)} more than there is`
          : `${count(numberOf(limit) - sum)} to give`}
      </p>
    </div>
  );
}
