import { useEffect, useRef, type ReactNode } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { SecretOnce } from '../../../ui/SecretOnce.tsx';

/** Takes the place of the form that made it. */
export function KeySecret({
  secret,
  onClose,
  children,
}: {
  readonly secret: string;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}) {
  const shown = useRef<HTMLDivElement>(null);
  // The button that had the focus is gone.
  useEffect(() => shown.current?.querySelector('button')?.focus(), []);
  return (
    <div ref={shown} className="stack">
      <SecretOnce secret={secret} label="The key" />
      {children}
      <div className="dialog-actions">
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}
