import { Meter } from '../../ui/Meter.tsx';
import { count } from '../../ui/words.ts';
import { numberOf } from './draft.ts';
import type { Counted } from './quota.ts';

/** What is used and left, by the limit as it would be saved. */
export function Used({
  called,
  counted,
  limit,
  extra,
  unit,
  endsAt,
}: {
  readonly called: string;
  readonly counted: Counted | null;
  readonly limit: string;
  /** By top-ups. */
  readonly extra: number;
  readonly unit: string;
  readonly endsAt: string | null;
}) {
  if (!counted) return <p className="hint">Counts from 0 once it is saved.</p>;
  const { used } = counted;
  if (used === null) return <p className="hint">The store does not answer: use is not known.</p>;
  const allowed = numberOf(limit) + extra;
  return (
    <div className="quota-bar">
      <Meter used={used} of={allowed} label={`Used by ${called}`} />
      <p className="hint figures">
        {count(used)} of {count(allowed)}
        <span className="quota-unit"> {unit} used</span> · {count(Math.max(0, allowed - used))} left
      </p>
      {used > allowed && (
        <p className="quota-warning">
          Below what is used: nothing is left
          {endsAt !== null && ` until ${new Date(endsAt).toLocaleDateString('en-CA')}`}.
        </p>
      )}
    </div>
  );
}
