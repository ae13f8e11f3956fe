import { useId, useMemo, useState } from 'react';
import type { Limit } from 'sluice/core';
import { Slider } from '../../ui/Slider.tsx';
import { simulate, sustainedPerSecond, type Pattern } from '../model/simulate.ts';
import { percent, rateInWords } from '../words.ts';
import { simulationInWords } from './simulation-words.ts';
import { TrafficChart } from './TrafficChart.tsx';

const patterns: readonly { readonly id: Pattern; readonly label: string }[] = [
  { id: 'steady', label: 'Steady' },
  { id: 'bursts', label: 'Bursts' },
  { id: 'rising', label: 'Rising' },
];

/** Traffic of a chosen kind against one limit. */
export function LetThrough({ limit }: { readonly limit: Limit }) {
  const [pattern, setPattern] = useState<Pattern>('steady');
  const [share, setShare] = useState(1.5);
  const [callSeconds, setCallSeconds] = useState(2);
  const sustained = sustainedPerSecond(limit, callSeconds);
  const callsPerSecond = sustained * share;
  const simulation = useMemo(
    () => simulate(limit, { pattern, callsPerSecond, callSeconds }),
    [limit, pattern, callsPerSecond, callSeconds],
  );
  return (
    <div className="stack">
      <PatternChoice value={pattern} onChange={setPattern} />
      <Slider
        label="Asked for"
        value={share}
        min={0.1}
        max={5}
        step={0.1}
        onChange={setShare}
        show={(value) =>
          `${rateInWords(sustained * value)} (${percent(value)} of what it sustains)`
        }
      />
      {limit.numbers.algorithm === 'concurrency' && (
        <Slider
          label="A call takes"
          value={callSeconds}
          min={0.5}
          max={30}
          step={0.5}
          onChange={setCallSeconds}
          show={(value) => `${value} s`}
        />
      )}
      <TrafficChart simulation={simulation} limit={limit} />
      <p className="quiet" role="status">
        {simulationInWords(simulation, limit)}
      </p>
    </div>
  );
}

function PatternChoice({
  value,
  onChange,
}: {
  readonly value: Pattern;
  readonly onChange: (pattern: Pattern) => void;
}) {
  const name = useId();
  return (
    <fieldset className="segments">
      <legend className="hidden">Traffic</legend>
      {patterns.map(({ id, label }) => (
        <label key={id}>
          <input type="radio" name={name} checked={value === id} onChange={() => onChange(id)} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
