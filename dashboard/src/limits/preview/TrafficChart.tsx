import type { Limit } from 'sluice/core';
import { shortCount, waitInWords } from '../../ui/words.ts';
import type { Part, Simulation } from '../model/simulate.ts';

/** Drawn in these units, and stretched to the room there is. */
const [width, height] = [960, 300];

/** Asked and let through, part by part, with what is left of the allowance above. */
export function TrafficChart({
  simulation: { parts, spanSeconds },
  limit: { size, enforced },
}: {
  readonly simulation: Simulation;
  readonly limit: Limit;
}) {
  const most = Math.max(1, ...parts.map(({ asked }) => asked));
  return (
    <figure className="traffic" aria-label="Asked and let through over time">
      <figcaption className="legend">
        <span className="key-admitted">Let through</span>
        <span className="key-refused">{enforced ? 'Refused' : 'Would be refused'}</span>
        <span className="key-left">Left of {shortCount(size)}</span>
        <span className="scale">
          {waitInWords((spanSeconds / parts.length) * 1000)} a bar, up to {shortCount(most)}
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <path className="grid" d={`M0 0H${width}M0 ${height / 2}H${width}M0 ${height}H${width}`} />
        <path className="refused" d={bars(parts, most, ({ asked }) => asked)} />
        <path className="admitted" d={bars(parts, most, ({ admitted }) => admitted)} />
        <path className="halo" d={line(parts, size)} />
        <path className="left" d={line(parts, size)} />
      </svg>
      <div className="traffic-times figures" aria-hidden="true">
        <span>0</span>
        <span>{waitInWords((spanSeconds / 2) * 1000)}</span>
        <span>{waitInWords(spanSeconds * 1000)}</span>
      </div>
    </figure>
  );
}

/** One path for all: the browser has one thing to draw, however many bars there are. */
function bars(parts: readonly Part[], most: number, valueOf: (part: Part) => number): string {
  const step = width / parts.length;
  return parts
    .map((part, at) => [at * step, (valueOf(part) / most) * height] as const)
    .filter(([, tall]) => tall > 0)
    .map(
      ([x, tall]) =>
        `M${short(x + step * 0.08)} ${height}v${short(-tall)}h${short(step * 0.84)}v${short(tall)}z`,
    )
    .join('');
}

function line(parts: readonly Part[], size: number): string {
  const step = width / parts.length;
  const points = parts.map(
    ({ left }, at) => `${short((at + 0.5) * step)} ${short(height - (left / size) * height)}`,
  );
  return `M${points.join('L')}`;
}

function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}
