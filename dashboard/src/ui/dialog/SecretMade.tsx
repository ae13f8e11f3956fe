import { useEffect, useRef, type ReactNode } from 'react';
import { Button } from '../Button.tsx';
import { SecretOnce } from '../SecretOnce.tsx';

/** Takes the place of the form that made it. */
export function SecretMade({
  secret,
  label,
  onClose,
  children,
}: {
  readonly secret: string;
  /** What it is called. */
  readonly label: string;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}) {
  const shown = useRef<HTMLDivElement>(null);
  // The button that had the focus is gone.
  useEffect(() => shown.current?.querySelector('button')?.focus(), []);
  return (
    <div ref={shown} className="stack">
      <SecretOnce secret={secret} label={label} />
      {children}
      <div className="dialog-actions">
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}
