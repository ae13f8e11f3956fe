/** What the drawing shows, in figures. */
export function Figures({
  main,
  unit,
  lines,
}: {
  readonly main: string;
  readonly unit: string;
  readonly lines: readonly (readonly [label: string, value: string])[];
}) {
  return (
    <div className="figures-block">
      <p className="figure-main figures">
        {main} <span className="quiet">{unit}</span>
      </p>
      <dl className="facts figures">
        {lines.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
