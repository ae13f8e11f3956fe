import type { AlgorithmName } from '../../core/algorithms/index.ts';
import { link, luaFiles, type LuaSource, type Script } from './script.ts';

/** Which library files each algorithm needs, and the digit that names it in a limit's argument. */
export const algorithmFiles: Record<
  AlgorithmName,
  { readonly code: string; readonly libraries: readonly string[] }
> = {
  token_bucket: { code: '1', libraries: ['token_bucket'] },
  fixed_window: { code: '2', libraries: ['window', 'fixed_window'] },
  quota: { code: '3', libraries: ['window', 'quota'] },
  sliding_window_counter: { code: '4', libraries: ['sliding_window_counter'] },
  sliding_window_log: { code: '5', libraries: ['sliding_window_log'] },
  concurrency: { code: '6', libraries: ['concurrency'] },
};

/** What a call of `decide` uses besides algorithms. */
export type Feature = 'epoch' | 'allowance' | 'penalty' | 'reservation' | 'ledger' | 'records';

const featureFiles: Record<Feature, readonly string[]> = {
  epoch: ['epoch'],
  allowance: ['allowance'],
  penalty: ['penalty'],
  reservation: ['holds', 'reservation'],
  ledger: ['ledger'],
  records: ['records'],
};

/** Functions by whose presence `decide.lua` knows that a feature is linked. */
const probes: Partial<Record<Feature, readonly string[]>> = {
  epoch: ['epoch_check'],
  allowance: ['allowance_left'],
  penalty: ['penalty_strike', 'penalty_blocked_until'],
};

/** Links, or finds, the variant for just these algorithms and features. */
export type LinkVariant = (
  algorithms: ReadonlySet<AlgorithmName>,
  features: ReadonlySet<Feature>,
) => Script;

export type Scripts = {
  readonly decide: LinkVariant;
  readonly inspect: LinkVariant;
  readonly readReservation: Script;
  readonly settle: Script;
  readonly sweepHolds: Script;
  readonly renewReservation: Script;
  readonly refund: Script;
  readonly release: Script;
  readonly renewTicket: Script;
  readonly seed: Script;
  readonly publishEpoch: Script;
  readonly record: Script;
  readonly takeLedger: Script;
  readonly forget: Script;
};

const names = Object.keys(algorithmFiles) as AlgorithmName[];
const features = Object.keys(featureFiles) as Feature[];
const everyAlgorithm = [...new Set(names.flatMap((name) => algorithmFiles[name].libraries))];

/** All scripts of the engine. `read` lets tests swap single files, the clock above all. */
export function openScripts(read: LuaSource = luaFiles): Scripts {
  const counters = ['clock', ...everyAlgorithm, 'cells'];
  const linked = new Map<string, Script>();
  const decide =
    (readOnly: boolean): LinkVariant =>
    (algorithms, wanted) => {
      const parts = [
        ...names.filter((name) => algorithms.has(name)),
        ...features.filter((feature) => wanted.has(feature)),
      ];
      const id = `${readOnly} ${parts.join(' ')}`;
      let script = linked.get(id);
      if (!script) linked.set(id, (script = linkDecide(read, algorithms, wanted, readOnly)));
      return script;
    };
  return {
    decide: decide(false),
    inspect: decide(true),
    readReservation: link(read, { libraries: [], entry: 'read_reservation', readOnly: true }),
    settle: link(read, { libraries: [...counters, 'holds'], entry: 'settle' }),
    sweepHolds: link(read, { libraries: [...counters, 'holds'], entry: 'sweep_holds' }),
    renewReservation: link(read, {
      libraries: [...counters, 'holds'],
      entry: 'renew_reservation',
    }),
    refund: link(read, { libraries: [...counters, 'holds'], entry: 'refund' }),
    release: link(read, { libraries: ['clock'], entry: 'release' }),
    renewTicket: link(read, { libraries: ['clock'], entry: 'renew_ticket' }),
    seed: link(read, { libraries: ['clock', 'window', 'quota', 'cells'], entry: 'seed' }),
    publishEpoch: link(read, { libraries: ['epoch'], entry: 'publish_epoch' }),
    record: link(read, { libraries: ['ledger'], entry: 'record' }),
    takeLedger: link(read, { libraries: ['ledger'], entry: 'take_ledger' }),
    forget: link(read, { libraries: [], entry: 'forget' }),
  };
}

function linkDecide(
  read: LuaSource,
  algorithms: ReadonlySet<AlgorithmName>,
  wanted: ReadonlySet<Feature>,
  readOnly: boolean,
): Script {
  const used = names.filter((name) => algorithms.has(name));
  return link(read, {
    libraries: [
      'clock',
      ...new Set(used.flatMap((name) => algorithmFiles[name].libraries)),
      'cells',
      ...features.filter((feature) => wanted.has(feature)).flatMap((name) => featureFiles[name]),
    ],
    entry: 'decide',
    absent: features
      .filter((feature) => !wanted.has(feature))
      .flatMap((feature) => probes[feature] ?? []),
    readOnly,
  });
}
