import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import type { FieldProblem } from '../../api/problem.ts';
import { messageOf } from '../../api/problem.ts';
import { useUnsaved } from '../../leaving/leaving.ts';
import { Button } from '../Button.tsx';
import { fieldErrorsOf, FormErrors } from './form-context.ts';

/**
 * A form that is sent as JSON. What the service refuses appears at the field it names; the first of
 * these gets the focus. What names no field stands above the button.
 */
export function Form({
  onSubmit,
  submit,
  busy,
  error,
  found = [],
  onCancel,
  children,
}: {
  readonly onSubmit: () => unknown;
  /** The verb on the button. */
  readonly submit: string;
  readonly busy: boolean;
  /** Of the last attempt. */
  readonly error: unknown;
  /** What the page itself found wrong, while it is being typed. */
  readonly found?: readonly FieldProblem[];
  readonly onCancel?: () => void;
  readonly children: ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  const [isTouched, setTouched] = useState(false);
  // What can be cancelled can be lost; what is being sent is saved, or refused and then here again. It is
  // busy until the page has read anew what it shows, which may show what was saved before that.
  useUnsaved(isTouched && !busy && onCancel !== undefined);
  const refused = fieldErrorsOf(error);
  const errors = found.length > 0 ? found : refused;
  useEffect(() => {
    if (!error) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!busy) onSubmit();
  };
  return (
    <FormErrors value={errors}>
      <form ref={form} className="form" noValidate onInput={() => setTouched(true)} onSubmit={send}>
        {children}
        {Boolean(error) && (
          <p className="form-error" role="alert">
            {messageOf(error)}
          </p>
        )}
        <div className="form-actions">
          {onCancel && <Button onClick={onCancel}>Cancel</Button>}
          <Button type="submit" variant="primary" busy={busy}>
            {submit}
          </Button>
        </div>
      </form>
    </FormErrors>
  );
}
