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
}: {
  readonly value: Ending;
  readonly onChange: (value: Ending) => void;
  readonly label?: string;
  readonly choices?: readonly string[];
}) {
  const isMoment = value.choice === 'at';
  return (
    <div className="field-row">
      <SelectField
        label={label}
        name={isMoment ? 'ends' : 'expires_at'}
        value={value.choice}
        options={options.filter((option) => choices.includes(option.value))}
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
