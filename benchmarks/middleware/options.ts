import { parseArgs } from 'node:util';
import { parseRounds, quick, thorough, type ServicePace } from '../service/options.ts';
import { rows, type RowName } from './rows.ts';

export type MiddlewareOptions = {
  readonly pace: ServicePace;
  readonly only: readonly RowName[];
  /** In memory too the load sleeps while it has nothing to do. */
  readonly asleep: boolean;
  /** What the servers are started with: `--profile` makes each write down where its time went. */
  readonly nodeArgs: readonly string[];
};

/** Of each of seven servers, each of the times that it is started. */
const warmUpCalls = 18_000;

const rowNames = Object.keys(rows) as RowName[];

export function parseOptions(args: readonly string[]): MiddlewareOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      profile: { type: 'string' },
      rounds: { type: 'string' },
      asleep: { type: 'boolean', default: false },
    },
  });
  const pace = { ...(values.quick ? quick : thorough), warmUpCalls };
  const rounds = values.rounds === undefined ? pace.rounds : parseRounds(values.rounds);
  const nodeArgs = values.profile ? ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] : [];
  const { asleep } = values;
  return { pace: { ...pace, rounds }, only: parseRows(values.only), asleep, nodeArgs };
}

function parseRows(text: string | undefined): readonly RowName[] {
  const names = text === undefined ? rowNames : text.split(',');
  const isRow = (name: string): name is RowName => (rowNames as string[]).includes(name);
  if (names.every(isRow)) return names;
  throw new Error(`--only takes rows from ${rowNames.join(', ')}, such as --only h,i; got ${text}`);
}
