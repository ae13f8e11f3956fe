import { SelectField } from '../../../ui/form/inputs.tsx';
import { rangeOf, ranges, stepOf } from './ranges.ts';
import type { Step } from './report.ts';

export type Choice = {
  readonly range: string;
  readonly step: Step;
  /** Empty for calls as a whole. */
  readonly limit: string;
  readonly split: Split;
};

/** What the lines of the chart are. */
export type Split = 'outcome' | 'resource';

const splits: readonly { readonly value: Split; readonly label: string }[] = [
  { value: 'outcome', label: 'Outcome' },
  { value: 'resource', label: 'Resource' },
];

const stepWords: Readonly<Record<Step, string>> = {
  minute: 'By the minute',
  hour: 'By the hour',
  day: 'By the day',
};

export function UsageChoice({
  value,
  onChange,
  limits,
}: {
  readonly value: Choice;
  readonly onChange: (value: Choice) => void;
  readonly limits: readonly string[];
}) {
  const range = rangeOf(value.range);
  // A limit that counted nothing in this time stays chosen.
  const names = new Set([...limits, ...(value.limit === '' ? [] : [value.limit])]);
  return (
    <div className="filters">
      <SelectField
        label="Time"
        name="range"
        value={range.id}
        options={ranges.map(({ id, label }) => ({ value: id, label }))}
        onChange={(id) => onChange({ ...value, range: id })}
      />
      <SelectField
        label="Step"
        name="step"
        value={stepOf(range, value.step)}
        options={range.steps.map((step) => ({ value: step, label: stepWords[step] }))}
        onChange={(step) => onChange({ ...value, step })}
      />
      <SelectField
        label="Counted by"
        name="limit"
        value={value.limit}
        options={[
          { value: '', label: 'All calls' },
          ...[...names].map((name) => ({ value: name, label: `Limit ${name}` })),
        ]}
        onChange={(limit) => onChange({ ...value, limit })}
      />
      <SelectField
        label="Split by"
        name="split"
        value={value.split}
        options={splits}
        onChange={(split) => onChange({ ...value, split })}
      />
    </div>
  );
}
