import { NumberField } from '../../../ui/form/inputs.tsx';
import { count } from '../../../ui/words.ts';
import type { NumberField as Field } from '../objects.ts';

const labels: Readonly<Record<Field, string>> = {
  bucket_capacity: 'Bucket holds',
  refill_rate_per_sec: 'Back per second',
  limit: 'How many',
  window_seconds: 'Window in seconds',
  max_concurrent: 'Open at once',
  stale_after_seconds: 'Silent after seconds',
};

/** What the limit itself says, where that is known. */
export type OwnNumbers = readonly (readonly [Field, number | null])[];

/** The limit's own numbers, to be replaced one by one. */
export function NumbersFields({
  own: numbers,
  value,
  onChange,
}: {
  readonly own: OwnNumbers;
  readonly value: Readonly<Partial<Record<Field, string>>>;
  readonly onChange: (value: Readonly<Partial<Record<Field, string>>>) => void;
}) {
  return (
    <div className="field-row">
      {numbers.map(([field, own]) => (
        <NumberField
          key={field}
          label={labels[field]}
          name={`numbers.${field}`}
          maxLength={16}
          hint={
            own === null ? 'the limit’s own unless said' : `${count(own)} unless said otherwise`
          }
          value={value[field] ?? ''}
          onChange={(text) => onChange({ ...value, [field]: text })}
        />
      ))}
    </div>
  );
}
