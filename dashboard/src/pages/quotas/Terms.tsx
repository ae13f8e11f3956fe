import { Card } from '../../ui/Card.tsx';
import { SelectField, TextField } from '../../ui/form/inputs.tsx';
import type { QuotaDraft } from './draft.ts';
import { modes, periods, type Mode } from './quota.ts';

const inherited = '';
const periodOptions = periods.map((value) => ({ value, label: `A ${value}` }));
const modeOptions = [
  { value: inherited, label: 'Inherited' } as const,
  ...modes.map((value) => ({ value, label: modeWords(value) })),
];

function modeWords(mode: Mode): string {
  const words = {
    off: 'Off: counts nothing',
    shadow: 'Shadow: counts, refuses nobody',
    warn: 'Warn: tells callers',
    enforce: 'Enforce: refuses',
  } as const;
  return words[mode];
}

/** What is counted, and when it starts anew. */
export function Terms({
  draft,
  canWrite,
  onChange,
}: {
  readonly draft: QuotaDraft;
  readonly canWrite: boolean;
  readonly onChange: (patch: Partial<QuotaDraft>) => void;
}) {
  const { name, period, unit, mode } = draft;
  return (
    <Card title="How it counts">
      {canWrite ? (
        <div className="field-row">
          <SelectField
            label="Period"
            name="period"
            hint="In the tenant’s time zone; months begin on its billing day."
            value={period}
            options={periodOptions}
            onChange={(next) => onChange({ period: next })}
          />
          <TextField
            label="Unit"
            name="unit"
            hint="requests, or a name in costs of a check."
            value={unit}
            onChange={(next) => onChange({ unit: next })}
          />
          <SelectField
            label="Mode"
            name="mode"
            value={mode ?? inherited}
            options={modeOptions}
            onChange={(next) => onChange({ mode: next === inherited ? null : next })}
          />
          <TextField
            label="Name"
            name="name"
            hint="Of the limit that refuses."
            value={name}
            onChange={(next) => onChange({ name: next })}
          />
        </div>
      ) : (
        <dl className="facts">
          <dt>Period</dt>
          <dd>a {period}</dd>
          <dt>Unit</dt>
          <dd>{unit}</dd>
          <dt>Mode</dt>
          <dd>{mode ?? 'inherited'}</dd>
          <dt>Name</dt>
          <dd>{name}</dd>
        </dl>
      )}
    </Card>
  );
}
