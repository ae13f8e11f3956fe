import { useId } from 'react';
import { useFieldError } from '../../ui/form/form-context.ts';

/** An input in the tree, without room for a label that is seen. */
export function Cell({
  label,
  name,
  value,
  placeholder,
  inputMode,
  onChange,
}: {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly placeholder: string;
  readonly inputMode?: 'numeric';
  readonly onChange: (value: string) => void;
}) {
  const id = useId();
  const error = useFieldError(name);
  return (
    <>
      <input
        type="text"
        autoComplete="off"
        spellCheck={false}
        aria-label={label}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={error === undefined ? undefined : id}
        {...{ name, value, placeholder, inputMode }}
        onChange={(event) => onChange(event.target.value)}
      />
      {error !== undefined && (
        <p className="field-error" id={id}>
          {error}
        </p>
      )}
    </>
  );
}
