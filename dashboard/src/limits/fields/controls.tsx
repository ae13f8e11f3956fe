import { useState, type ReactNode } from 'react';
import { Field } from '../../ui/form/Field.tsx';
import { CheckField, SelectField, TextField } from '../../ui/form/inputs.tsx';
import { readNumber, readText, textOf, type Bound } from './bind.ts';

type Props = {
  readonly label: string;
  readonly bound: Bound;
  readonly hint?: ReactNode;
  readonly optional?: boolean;
  readonly placeholder?: string;
};

/** Keeps what was typed as long as it means the value: `1.` is on the way to `1.5`. */
function useTyped(
  value: unknown,
  read: (text: string) => unknown,
  show: (value: unknown) => string,
) {
  const [typed, setTyped] = useState(() => show(value));
  const isSame = JSON.stringify(read(typed)) === JSON.stringify(value);
  return [isSame ? typed : show(value), setTyped] as const;
}

export function NumberControl({ bound: { name, value, onChange }, ...props }: Props) {
  const [text, setText] = useTyped(value, readNumber, textOf);
  const change = (next: string) => {
    setText(next);
    onChange(readNumber(next));
  };
  return <TextField inputMode="decimal" {...props} name={name} value={text} onChange={change} />;
}

export function TextControl({ bound: { name, value, onChange }, ...props }: Props) {
  return (
    <TextField
      {...props}
      name={name}
      value={textOf(value)}
      onChange={(text) => onChange(readText(text))}
    />
  );
}

export type Choice = { readonly value: string; readonly label: string };

/** One of a few words; the empty one leaves the field out. */
export function ChoiceControl({
  bound: { name, value, onChange },
  options,
  label,
  hint,
}: Props & { readonly options: readonly Choice[] }) {
  const current = textOf(value);
  const isKnown = options.some((option) => option.value === current);
  const shown = isKnown ? options : [...options, { value: current, label: current }];
  return (
    <SelectField
      {...{ label, name }}
      {...(hint !== undefined && { hint })}
      value={current}
      options={shown}
      onChange={(next) => onChange(readText(next))}
    />
  );
}

export function FlagControl({ bound: { name, value, onChange }, label }: Props) {
  return (
    <CheckField
      {...{ label, name }}
      value={value === true}
      onChange={(next) => onChange(next ? true : undefined)}
    />
  );
}

/** A list or a table, written as lines. */
export function LinesControl({
  bound: { name, value, onChange },
  show,
  read,
  label,
  hint,
  optional = true,
  placeholder,
}: Props & {
  readonly show: (value: unknown) => string;
  readonly read: (text: string) => unknown;
}) {
  const [text, setText] = useTyped(value, read, show);
  return (
    <Field {...{ label, name, optional }} {...(hint !== undefined && { hint })}>
      {(wiring) => (
        <textarea
          {...wiring}
          className="lines"
          rows={Math.max(2, text.split('\n').length)}
          spellCheck={false}
          placeholder={placeholder}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            onChange(read(target.value));
          }}
        />
      )}
    </Field>
  );
}
