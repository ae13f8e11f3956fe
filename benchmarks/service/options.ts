import { parseArgs } from 'node:util';

export const rowNames = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
export type RowName = (typeof rowNames)[number];

/** How long to measure, and how much there is of what there is much of. */
export type ServicePace = {
  readonly rounds: number;
  readonly roundMs: number;
  /** Of each server before its first round, as many calls however much is decided in one. */
  readonly warmUpCalls: number;
  /** Of row d. */
  readonly tenants: number;
  /** How often rows a to d start their servers: processes of the same code differ for as long as they live. */
  readonly lives: number;
};

export type Options = {
  readonly pace: ServicePace;
  readonly only: ReadonlySet<RowName>;
  /** What the servers are started with: `--profile` makes each write down where its time went. */
  readonly nodeArgs: readonly string[];
};

/**
 * Many short rounds: the machine's own swings last for seconds, and must meet both alike. A node's
 * code goes on being compiled for some 100,000 calls.
 */
export const thorough = {
  rounds: 40,
  roundMs: 400,
  warmUpCalls: 100_000,
  tenants: 100_000,
  lives: 5,
};
export const quick = { rounds: 4, roundMs: 600, warmUpCalls: 10_000, tenants: 2000, lives: 1 };

export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      profile: { type: 'string' },
      rounds: { type: 'string' },
      lives: { type: 'string' },
      tenants: { type: 'string' },
    },
  });
  const nodeArgs = values.profile ? ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] : [];
  const pace = values.quick ? quick : thorough;
  const rounds = parseCount('--rounds', values.rounds ?? pace.rounds, 500);
  const lives = parseCount('--lives', values.lives ?? pace.lives, 50);
  const tenants = parseCount('--tenants', values.tenants ?? pace.tenants, 100_000);
  return { pace: { ...pace, rounds, lives, tenants }, only: parseRows(values.only), nodeArgs };
}

export function parseCount(option: string, value: string | number, max: number): number {
  const count = Number(value);
  if (Number.isInteger(count) && count >= 1 && count <= max) return count;
  throw new Error(`${option} takes a whole number from 1 to ${max}; got ${value}`);
}

function parseRows(text: string | undefined): ReadonlySet<RowName> {
  const rows = text === undefined ? rowNames : text.split(',');
  const isRow = (row: string): row is RowName => (rowNames as readonly string[]).includes(row);
  if (rows.every(isRow)) return new Set(rows);
  throw new Error(`--only takes rows from ${rowNames.join(', ')}, such as --only a,c; got ${text}`);
}
