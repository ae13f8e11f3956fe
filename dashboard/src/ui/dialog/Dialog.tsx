import { useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import { Icon } from '../Icon.tsx';

const firstControl = '.dialog-body :is(input, select, textarea, .dialog-actions button)';

/** A native dialog: the page behind is out of reach, Escape closes, focus returns. */
export function Dialog({
  title,
  onClose,
  size = 'medium',
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly size?: 'medium' | 'large';
  readonly children: ReactNode;
}) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  // Before it is taken away: a dialog that is gone gives no focus back.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Who opens a form wants to type; who is asked gets the answer that changes nothing.
    shown?.querySelector<HTMLElement>(firstControl)?.focus();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={`dialog dialog-${size}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header className="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" className="icon-button" onClick={onClose}>
          <Icon name="close" label="Close" />
        </button>
      </header>
      <div className="dialog-body">{children}</div>
    </dialog>
  );
}
