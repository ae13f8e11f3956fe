import { useRef, useState } from 'react';
import { Button } from './Button.tsx';

const doneMs = 1500;

/** Copies a text, and says that it did. */
export function CopyButton({
  text,
  label = 'Copy',
}: {
  readonly text: string;
  readonly label?: string;
}) {
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const copy = async () => {
    clearTimeout(timer.current);
    // Without TLS a browser offers no clipboard: then the text can still be selected.
    const { clipboard } = navigator as { readonly clipboard?: Clipboard };
    const copied = await clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setState(copied === true ? 'done' : 'failed');
    timer.current = setTimeout(() => setState('idle'), doneMs);
  };
  const words = { idle: label, done: 'Copied', failed: 'Select it by hand' } as const;
  return (
    <Button
      size="small"
      icon={state === 'done' ? 'check' : 'copy'}
      onClick={() => void copy()}
      aria-live="polite"
    >
      {words[state]}
    </Button>
  );
}
