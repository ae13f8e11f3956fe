import type { CanonicalLimit } from 'sluice/contract';
import { NumberField } from '../../../ui/form/inputs.tsx';
import { count } from '../../../ui/words.ts';
import type { NumberField as Field } from '../objects.ts';
import { numbersIn } from './definitions.ts';

const labels: Readonly<Record<Field, string>> = {
  bucket_capacity: 'Bucket holds',
  refill_rate_per_sec: 'Back per second',
  limit: 'How many',
  window_seconds: 'Window in seconds',
  max_concurrent: 'Open at once',
  stale_after_seconds: 'Silent after seconds',
};

/** The limit's own numbers, to be replaced one by one. */
export function NumbersFields({
  limit,
  value,
  onChange,
}: {
  readonly limit: CanonicalLimit;
  readonly value: Readonly<Partial<Record<Field, string>>>;
  readonly onChange: (value: Readonly<Partial<Record<Field, string>>>) => void;
}) {
  return (
    <div className="field-row">
      {numbersIn(limit).map(([field, own]) => (
        <NumberField
          key={field}
          label={labels[field]}
          name={`numbers.${field}`}
          maxLength={16}
          hint={`${count(own)} unless said otherwise`}
          value={value[field] ?? ''}
          onChange={(text) => onChange({ ...value, [field]: text })}
        />
      ))}
    </div>
  );
}
