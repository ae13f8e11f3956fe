import { useId, type ReactNode } from 'react';
import { useFieldError } from './form-context.ts';

/** What ties a control to its label, hint and error. */
export type Wiring = {
  readonly id: string;
  readonly name: string;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string | undefined;
};

export type FieldProps = {
  readonly label: ReactNode;
  /** As the API calls it: errors find their way by it. */
  readonly name: string;
  readonly hint?: ReactNode;
  readonly optional?: boolean;
};

/** A label, a control, a hint and what is wrong. */
export function Field({
  label,
  name,
  hint,
  optional = false,
  children,
}: FieldProps & { readonly children: (wiring: Wiring) => ReactNode }) {
  const id = useId();
  const error = useFieldError(name);
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`];
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
        {optional && <span className="quiet"> optional</span>}
      </label>
      {children({
        id,
        name,
        'aria-invalid': error === undefined ? undefined : true,
        'aria-describedby': described.filter(Boolean).join(' ') || undefined,
      })}
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p className="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
