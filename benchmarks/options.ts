import { parseArgs } from 'node:util';
import type { Pace } from './measure.ts';

export type Options = {
  readonly pace: Pace;
  /** The rows to measure. */
  readonly only: ReadonlySet<number>;
};

export const rowsMax = 8;

const thorough: Pace = { rounds: 11, roundMs: 600, warmUpMs: 800 };
const quick: Pace = { rounds: 3, roundMs: 350, warmUpMs: 350 };

export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
  });
  return { pace: values.quick ? quick : thorough, only: parseRows(values.only) };
}

function parseRows(text: string | undefined): ReadonlySet<number> {
  const rows =
    text === undefined
      ? Array.from({ length: rowsMax }, (_, at) => at + 1)
      : text.split(',').map(Number);
  const unknown = rows.find((row) => !Number.isInteger(row) || row < 1 || row > rowsMax);
  if (unknown === undefined) return new Set(rows);
  throw new Error(`--only takes rows from 1 to ${rowsMax}, such as --only 3,4; got ${text}`);
}
