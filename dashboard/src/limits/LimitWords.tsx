import type { CanonicalLimit } from 'sluice/contract';
import { limitInWords } from './words.ts';
import './limits.css';

const shownMax = 3;

/** Limits in a cell of a table: the first few, each in a sentence. */
export function LimitWords({ limits }: { readonly limits: readonly CanonicalLimit[] }) {
  if (limits.length === 0) return <span className="quiet">none</span>;
  const rest = limits.length - shownMax;
  return (
    <ul className="limit-words">
      {limits.slice(0, shownMax).map((limit) => (
        <li key={limit.name}>
          <strong>{limit.name}</strong> <span className="quiet">{limitInWords(limit)}</span>
        </li>
      ))}
      {rest > 0 && <li className="quiet">and {rest} more</li>}
    </ul>
  );
}
