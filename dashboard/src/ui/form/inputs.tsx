import type { InputHTMLAttributes } from 'react';
import { Field, type FieldProps } from './Field.tsx';

type Native = Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange' | 'name' | 'id'>;

export function TextField({
  label,
  name,
  hint,
  optional,
  value,
  onChange,
  ...rest
}: FieldProps & Native & { readonly value: string; readonly onChange: (value: string) => void }) {
  return (
    <Field {...{ label, name }} {...given({ hint, optional })}>
      {(wiring) => (
        <input
          type="text"
          autoComplete="off"
          spellCheck={false}
          {...rest}
          {...wiring}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** Kept as text while it is typed; `numberOf` reads it. */
export function NumberField(props: Parameters<typeof TextField>[0]) {
  return <TextField inputMode="decimal" {...props} />;
}

/** Undefined where nothing was typed; NaN stays NaN, for the service to refuse by name. */
export function numberOf(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text);
}

export function SelectField<Value extends string>({
  label,
  name,
  hint,
  optional,
  value,
  options,
  onChange,
}: FieldProps & {
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
}) {
  return (
    <Field {...{ label, name }} {...given({ hint, optional })}>
      {(wiring) => (
        <select
          {...wiring}
          value={value}
          onChange={(event) => onChange(event.target.value as Value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckField({
  label,
  name,
  value,
  onChange,
}: Pick<FieldProps, 'label' | 'name'> & {
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
}) {
  return (
    <label className="check-field">
      <input
        type="checkbox"
        name={name}
        checked={value}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

/** Without what was not given: absent and undefined are told apart here. */
function given({ hint, optional }: { hint?: FieldProps['hint']; optional?: boolean | undefined }) {
  return { ...(hint !== undefined && { hint }), ...(optional !== undefined && { optional }) };
}
