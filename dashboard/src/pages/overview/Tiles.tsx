import type { LiveSecond } from '../../live/second.ts';
import type { Tone } from '../../ui/Badge.tsx';
import { lately, latestLatency, milliseconds, perSecond, wouldRefuse } from './figures.ts';

/** The figures that matter, now. */
export function Tiles({ seconds }: { readonly seconds: readonly LiveSecond[] }) {
  const latency = latestLatency(seconds);
  const rates: readonly (readonly [string, Tone, (second: LiveSecond) => number])[] = [
    ['Allowed', 'good', ({ outcomes }) => outcomes.allowed],
    ['Refused', 'bad', ({ outcomes }) => outcomes.blocked],
    ['Would refuse', 'warning', wouldRefuse],
    ['Degraded', 'odd', ({ outcomes }) => outcomes.degraded],
  ];
  return (
    <dl className="tiles">
      {rates.map(([label, tone, of]) => (
        <div key={label} className={`tile tone-${tone}`}>
          <dt>{label}</dt>
          <dd className="figures">
            {perSecond(lately(seconds, of))} <small>/s</small>
          </dd>
        </div>
      ))}
      <div className="tile tone-neutral">
        <dt>Latency p50</dt>
        <dd className="figures">{milliseconds(latency.p50)}</dd>
      </div>
      <div className="tile tone-neutral">
        <dt>Latency p99</dt>
        <dd className="figures">{milliseconds(latency.p99)}</dd>
      </div>
    </dl>
  );
}
