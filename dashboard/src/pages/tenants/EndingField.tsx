import { SelectField, TextField } from '../../ui/form/inputs.tsx';
import { durations, type Ending } from './lifetime.ts';

const options = [
  ...Object.entries(durations).map(([value, { label }]) => ({ value, label })),
  { value: 'at', label: 'at a moment…' },
  { value: 'never', label: 'never' },
];

/** After a while, at a moment, or never. */
export function EndingField({
  value,
  onChange,
  label = 'Ends',
  choices = options.map((option) => option.value),
  kept,
}: {
  readonly value: Ending;
  readonly onChange: (value: Ending) => void;
  readonly label?: string;
  readonly choices?: readonly string[];
  /** When it ends as it is, null for never; for what is there already. */
  readonly kept?: string | null;
}) {
  const isMoment = value.choice === 'at';
  return (
    <div className="field-row">
      <SelectField
        label={label}
        name={isMoment ? 'ends' : 'expires_at'}
        value={value.choice}
        options={[
          ...(kept === undefined ? [] : [{ value: 'kept', label: keptInWords(kept) }]),
          ...options.filter((option) => choices.includes(option.value)),
        ]}
        onChange={(choice) => onChange({ ...value, choice })}
      />
      {isMoment && (
        <TextField
          label="Moment, by your clock"
          name="expires_at"
          type="datetime-local"
          value={value.at}
          onChange={(at) => onChange({ ...value, at })}
        />
      )}
    </div>
  );
}

function keptInWords(end: string | null): string {
  return end === null ? 'as it is: never' : `as it is: ${moments.format(new Date(end))}`;
}

const moments = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
