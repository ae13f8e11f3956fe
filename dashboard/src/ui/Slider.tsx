import { useId, type ReactNode } from 'react';

/** A number by hand, with what it means beside it. */
export function Slider({
  label,
  value,
  min,
  max,
  step = 1,
  onChange,
  show = String,
  hint,
}: {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step?: number;
  readonly onChange: (value: number) => void;
  readonly show?: (value: number) => string;
  readonly hint?: ReactNode;
}) {
  const id = useId();
  return (
    <div className="slider">
      <div className="slider-head">
        <label htmlFor={id}>{label}</label>
        <output htmlFor={id}>{show(value)}</output>
      </div>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        aria-valuetext={show(value)}
        onChange={(event) => onChange(event.target.valueAsNumber)}
      />
      {hint !== undefined && <p className="hint">{hint}</p>}
    </div>
  );
}
