import type { Tone } from './Badge.tsx';

/** How much of something is used, as a bar; the figures stand beside it. */
export function Meter({
  used,
  of,
  label,
  tone,
}: {
  readonly used: number;
  readonly of: number;
  readonly label: string;
  readonly tone?: Tone;
}) {
  const share = of <= 0 ? 1 : Math.min(1, Math.max(0, used / of));
  const shade = tone ?? (share >= 1 ? 'bad' : share >= 0.8 ? 'warning' : 'accent');
  return (
    <div
      className={`meter tone-${shade}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(of, 0)}
      aria-valuenow={Math.min(Math.max(used, 0), Math.max(of, 0))}
      aria-valuetext={`${used} of ${of}`}
    >
      <span style={{ inlineSize: `${share * 100}%` }} />
    </div>
  );
}
