import { parseArgs } from 'node:util';
import { parseCount, quick, thorough, type ServicePace } from '../service/options.ts';
import { rows, type RowName } from './rows.ts';

export type MiddlewareOptions = {
  readonly pace: ServicePace;
  readonly only: readonly RowName[];
  /** How often a row starts its servers, at the most. */
  readonly livesMax: number;
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
      lives: { type: 'string', default: '8' },
      asleep: { type: 'boolean', default: false },
    },
  });
  const pace = { ...(values.quick ? quick : thorough), warmUpCalls };
  const rounds = parseCount('--rounds', values.rounds ?? pace.rounds, 500);
  const nodeArgs = values.profile ? ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] : [];
  const { asleep } = values;
  const livesMax = parseCount('--lives', values.lives, 50);
  return { pace: { ...pace, rounds }, only: parseRows(values.only), livesMax, asleep, nodeArgs };
}

function parseRows(text: string | undefined): readonly RowName[] {
  const names = text === undefined ? rowNames : text.split(',');
  const isRow = (name: string): name is RowName => (rowNames as string[]).includes(name);
  if (names.every(isRow)) return names;
  throw new Error(`--only takes rows from ${rowNames.join(', ')}, such as --only h,i; got ${text}`);
}
