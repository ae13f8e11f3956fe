import { parseArgs } from 'node:util';

export const rowNames = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
export type RowName = (typeof rowNames)[number];

/** How long to measure, and how much there is of what there is much of. */
export type ServicePace = {
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpCalls: number;
  readonly tenants: number;
  readonly starts: number;
};

export type Options = {
  readonly pace: ServicePace;
  readonly only: ReadonlySet<RowName>;
  /** What the servers are started with: `--profile` makes each write down where its time went. */
  readonly nodeArgs: readonly string[];
};

/** Many short rounds: the machine's own swings last for seconds, and must meet both alike. */
export const thorough = {
  rounds: 40,
  roundMs: 400,
  warmUpCalls: 30_000,
  tenants: 100_000,
  starts: 5,
};
export const quick = { rounds: 4, roundMs: 600, warmUpCalls: 10_000, tenants: 2000, starts: 1 };

export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      profile: { type: 'string' },
      rounds: { type: 'string' },
    },
  });
  const nodeArgs = values.profile ? ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] : [];
  const pace = values.quick ? quick : thorough;
  const rounds = values.rounds === undefined ? pace.rounds : parseRounds(values.rounds);
  return { pace: { ...pace, rounds }, only: parseRows(values.only), nodeArgs };
}

export function parseRounds(text: string): number {
  const rounds = Number(text);
  if (Number.isInteger(rounds) && rounds >= 1 && rounds <= 500) return rounds;
  throw new Error(`--rounds takes a whole number from 1 to 500; got ${text}`);
}

function parseRows(text: string | undefined): ReadonlySet<RowName> {
  const rows = text === undefined ? rowNames : text.split(',');
  const isRow = (row: string): row is RowName => (rowNames as readonly string[]).includes(row);
  if (rows.every(isRow)) return new Set(rows);
  throw new Error(`--only takes rows from ${rowNames.join(', ')}, such as --only a,c; got ${text}`);
}
