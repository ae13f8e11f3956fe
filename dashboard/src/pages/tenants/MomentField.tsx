import { SelectField, TextField } from '../../ui/form/inputs.tsx';
import { durations, type Moment } from './lifetime.ts';

export type MomentProps = {
  readonly value: Moment;
  readonly onChange: (value: Moment) => void;
  /** The moment as it is, null for none; for what is there already. */
  readonly kept?: string | null;
};

/** What every moment can be: after a while, or typed. */
export const laterOptions = [
  ...Object.entries(durations).map(([value, { label }]) => ({ value, label })),
  { value: 'at', label: 'at a moment…' },
];

/** A moment that is chosen, or typed where none of the choices is meant. */
export function MomentField({
  label,
  name,
  none,
  typed,
  options,
  hint,
  value,
  onChange,
  kept,
}: MomentProps & {
  readonly label: string;
  /** As the API calls it. */
  readonly name: string;
  /** What it is to have none. */
  readonly none: string;
  /** What the moment is called while it is typed. */
  readonly typed: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly hint?: string;
}) {
  const isTyped = value.choice === 'at';
  const asIs = { value: 'kept', label: `as it is: ${kept ? inWords(kept) : none}` };
  return (
    <div className="field-row">
      <SelectField
        label={label}
        // What is wrong stands where it was typed.
        name={isTyped ? `${name}_choice` : name}
        value={value.choice}
        options={kept === undefined ? options : [asIs, ...options]}
        onChange={(choice) => onChange({ ...value, choice })}
        {...(hint !== undefined && { hint })}
      />
      {isTyped && (
        <TextField
          label={typed}
          name={name}
          type="datetime-local"
          value={value.at}
          onChange={(at) => onChange({ ...value, at })}
        />
      )}
    </div>
  );
}

const moments = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

function inWords(instant: string): string {
  return moments.format(new Date(instant));
}
