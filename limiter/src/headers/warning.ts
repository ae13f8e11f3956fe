import type { ShownLimit } from '../core/decision.ts';
import { InvalidInput } from '../core/errors.ts';
import { allowance } from '../core/message.ts';
import { printable } from './structured.ts';

/** When limits in `warn` begin to refuse: all at once, or by a limit's name. */
export type EnforceFrom = Date | ((limitName: string) => Date | null);

const warningsMax = 4;

/** One line about the limits that only warn and would have refused; null when there is none. */
export function warningOf(
  views: readonly ShownLimit[],
  enforceFrom: EnforceFrom | undefined,
): string | null {
  let line: string | null = null;
  let count = 0;
  for (const view of views) {
    if (view.reading.verdict === 'ok' || view.bound.limit.mode !== 'warn') continue;
    if (count === warningsMax) break;
    const warning = describeOne(view, enforceFrom);
    line = line === null ? warning : `${line}; ${warning}`;
    count += 1;
  }
  return line;
}

function describeOne({ bound: { limit }, view }: ShownLimit, enforceFrom?: EnforceFrom): string {
  const said = typeof enforceFrom === 'function' ? enforceFrom(limit.name) : enforceFrom;
  const from = said ?? (limit.enforceFromMs === null ? null : new Date(limit.enforceFromMs));
  const when = from ? `enforced from ${dayOf(from)}` : 'not enforced yet';
  return printable(`${limit.name}: ${allowance(limit)}, used ${view.used}, ${when}`);
}

function dayOf(date: Date): string {
  if (date instanceof Date && !Number.isNaN(date.getTime())) return date.toISOString().slice(0, 10);
  throw new InvalidInput('enforceFrom', 'must be a date, or a function that returns one or null');
}
