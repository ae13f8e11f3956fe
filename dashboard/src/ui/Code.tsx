import { CopyButton } from './CopyButton.tsx';

/** Text for a terminal or a program, to be copied whole. */
export function Code({
  text,
  label,
  wrap = true,
}: {
  readonly text: string;
  /** What it is, for who hears the page. */
  readonly label: string;
  readonly wrap?: boolean;
}) {
  return (
    <figure className="code" aria-label={label}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- else keyboards could not scroll it */}
      <pre className={wrap ? 'is-wrapped' : ''} tabIndex={0}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} />
    </figure>
  );
}
