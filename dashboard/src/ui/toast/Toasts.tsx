import { Icon } from '../Icon.tsx';
import { dismiss, useToasts } from './toasts.ts';

/** Always there: a live region that appears together with its text is not read out. */
export function Toasts() {
  const toasts = useToasts();
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text, kind }) => (
        <div key={id} className={`toast toast-${kind}`}>
          <Icon name={kind === 'done' ? 'check' : 'alert'} />
          <p>{text}</p>
          <button type="button" className="icon-button" onClick={() => dismiss(id)}>
            <Icon name="close" label="Dismiss" />
          </button>
        </div>
      ))}
    </div>
  );
}
