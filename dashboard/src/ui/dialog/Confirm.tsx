import { useState, type ReactNode } from 'react';
import { messageOf } from '../../api/problem.ts';
import { Button } from '../Button.tsx';
import { Dialog } from './Dialog.tsx';

/** Asks before something is destroyed. What is grave asks for its name to be typed. */
export function Confirm({
  title,
  children,
  action,
  typed,
  onConfirm,
  onClose,
}: {
  readonly title: string;
  /** What will happen, and whether it can be undone. */
  readonly children: ReactNode;
  /** The verb: `Revoke key`. */
  readonly action: string;
  readonly typed?: string;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isLocked = typed !== undefined && text !== typed;
  const confirm = async () => {
    setBusy(true);
    setError(null);
    await onConfirm().then(onClose, setError);
    setBusy(false);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="stack">
        <div>{children}</div>
        {typed !== undefined && (
          <label className="field">
            <span className="label">
              Type <code>{typed}</code> to confirm
            </span>
            <input
              value={text}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
        )}
        {error !== null && (
          <p className="form-error" role="alert">
            {messageOf(error)}
          </p>
        )}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" busy={busy} disabled={isLocked} onClick={() => void confirm()}>
            {action}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
