import type { AlgorithmName } from '../../core/algorithms/index.ts';
import { link, luaFiles, type LinkOptions, type LuaSource, type Script } from './script.ts';

type AlgorithmFiles = {
  /** Names the algorithm in a limit's argument. */
  readonly code: number;
  readonly bit: number;
  readonly libraries: readonly string[];
  /** What only scripts that give back need. */
  readonly giveBack: readonly string[];
  /** What short ways have besides; absent where there is none. */
  readonly brief?: readonly string[];
};

/** Which library files each algorithm needs. */
export const algorithmFiles: Record<AlgorithmName, AlgorithmFiles> = {
  token_bucket: {
    code: 1,
    bit: 1,
    libraries: ['token_bucket'],
    giveBack: ['token_bucket_give_back'],
    brief: ['token_bucket_brief'],
  },
  fixed_window: {
    code: 2,
    bit: 2,
    libraries: ['window', 'fixed_window'],
    giveBack: ['window_give_back'],
    brief: [],
  },
  quota: {
    code: 3,
    bit: 4,
    libraries: ['window', 'quota'],
    giveBack: ['window_give_back'],
    brief: [],
  },
  sliding_window_counter: {
    code: 4,
    bit: 8,
    libraries: ['sliding_window_counter'],
    giveBack: ['sliding_window_counter_give_back'],
    brief: [],
  },
  sliding_window_log: {
    code: 5,
    bit: 16,
    libraries: ['sliding_window_log'],
    giveBack: ['sliding_window_log_give_back'],
  },
  concurrency: { code: 6, bit: 32, libraries: ['concurrency'], giveBack: [] },
};

export function algorithmBit(name: AlgorithmName): number {
  return algorithmFiles[name].bit;
}

/** What a call of `decide` may use besides algorithms, as bits. */
export const features = {
  epoch: 64,
  allowance: 128,
  penalty: 256,
  reservation: 512,
  ledger: 1024,
  records: 2048,
  charge: 4096,
  packed: 8192,
  /** All questions are one run, and go the short way. */
  run: 16_384,
} as const;

type Feature = keyof typeof features;

const featureFiles: Record<Feature, readonly string[]> = {
  epoch: ['epoch'],
  allowance: ['allowance'],
  penalty: ['penalty'],
  reservation: ['holds', 'reservation'],
  ledger: ['ledger'],
  records: ['records'],
  charge: ['charge'],
  packed: ['packed'],
  // Comes with what else a short way needs.
  run: [],
};

/** What `decide` itself looks for, and the feature it comes with. */
const optional = {
  epoch_check: features.epoch,
  ledger_write: features.ledger,
  reply_packed: features.packed,
  run_decide: features.run,
} as const;

/** What only scripts for several tenants have. */
const inCompany = ['company', 'asked_alike', 'form_again'] as const;

/** Links, or finds, the variant for just what a call uses. */
export type LinkVariant = (uses: number) => Script;

export type Scripts = {
  readonly decide: LinkVariant;
  /** The same for several tenants at once; for what `isShareable`. */
  readonly decideMany: LinkVariant;
  readonly inspect: LinkVariant;
  readonly readRecord: Script;
  readonly settle: Script;
  readonly sweepHolds: Script;
  readonly renewReservation: Script;
  readonly refund: Script;
  readonly debit: Script;
  readonly conclude: Script;
  readonly release: Script;
  readonly renewTicket: Script;
  readonly unblock: Script;
  readonly seed: Script;
  readonly readQuotas: Script;
  readonly publishEpoch: Script;
  readonly record: Script;
  readonly takeLedger: Script;
  readonly dropLedger: Script;
  readonly hasLedger: Script;
  readonly forget: Script;
  readonly shieldBegin: Script;
  readonly shieldRenew: Script;
  readonly shieldFinish: Script;
};

const algorithmNames = Object.keys(algorithmFiles) as AlgorithmName[];
const featureNames = Object.keys(features) as Feature[];
const everyAlgorithm = filesOf(algorithmNames, true);

/** All scripts of the engine. `read` lets tests swap single files, the clock above all. */
export function openScripts(read: LuaSource = luaFiles): Scripts {
  const counters = ['clock', ...everyAlgorithm, 'limit_text', 'cells'];
  const withHolds = [...counters, 'holds'];
  const later = [...withHolds, 'in_force'];
  return {
    decide: variants((uses) => linkDecide(read, uses)),
    decideMany: variants((uses) => linkDecide(read, uses & ~features.run, { isForMany: true })),
    inspect: variants((uses) => linkDecide(read, uses, { name: 'inspect', readOnly: true })),
    readRecord: link(read, { libraries: [], entry: 'read_record', readOnly: true }),
    settle: link(read, { libraries: later, entry: 'settle' }),
    sweepHolds: link(read, { libraries: withHolds, entry: 'sweep_holds' }),
    renewReservation: link(read, { libraries: later, entry: 'renew_reservation' }),
    refund: link(read, { libraries: later, entry: 'refund' }),
    debit: link(read, { libraries: later, entry: 'debit' }),
    conclude: link(read, { libraries: [...counters, 'penalty', 'give_back'], entry: 'conclude' }),
    release: link(read, { libraries: ['clock'], entry: 'release' }),
    renewTicket: link(read, { libraries: ['clock'], entry: 'renew_ticket' }),
    unblock: link(read, { libraries: ['clock'], entry: 'unblock' }),
    seed: link(read, {
      libraries: ['clock', 'window', 'quota', 'limit_text', 'cells'],
      entry: 'seed',
    }),
    readQuotas: link(read, {
      libraries: ['clock', 'window', 'quota', 'limit_text', 'cells'],
      entry: 'read_quotas',
      readOnly: true,
    }),
    publishEpoch: link(read, { libraries: ['epoch'], entry: 'publish_epoch' }),
    record: link(read, { libraries: ['ledger'], entry: 'record', absent: ['company'] }),
    takeLedger: link(read, {
      libraries: ['ledger', 'ledger_batches'],
      entry: 'take_ledger',
      absent: ['company'],
    }),
    dropLedger: link(read, {
      libraries: ['ledger', 'ledger_batches'],
      entry: 'drop_ledger',
      absent: ['company'],
    }),
    hasLedger: link(read, { libraries: [], entry: 'has_ledger', readOnly: true }),
    forget: link(read, { libraries: [], entry: 'forget' }),
    shieldBegin: link(read, { libraries: [], entry: 'shield_begin' }),
    shieldRenew: link(read, { libraries: [], entry: 'shield_renew' }),
    shieldFinish: link(read, { libraries: [], entry: 'shield_finish' }),
  };
}

function variants(make: LinkVariant): LinkVariant {
  const made = new Map<number, Script>();
  return (uses) => {
    let script = made.get(uses);
    if (!script) made.set(uses, (script = make(uses)));
    return script;
  };
}

/** What keeps something in mind from question to question, for one call alone. */
const minding = features.penalty | features.records | features.reservation | features.charge;

/** Whether a call may be decided together with other tenants'. */
export function isShareable(uses: number): boolean {
  return (uses & minding) === 0;
}

const algorithmBits = Object.values(algorithmFiles).reduce((bits, { bit }) => bits | bit, 0);
/** What changes nothing in how a call among several is read. */
const readAlike = algorithmBits | features.run;

/** Whether one script can be linked for both: features change what is read, algorithms do not. */
export function mayShare(uses: number, others: number): boolean {
  return ((uses ^ others) & ~readAlike) === 0;
}

function linkDecide(
  read: LuaSource,
  uses: number,
  options: Pick<LinkOptions, 'name' | 'readOnly' | 'isForMany'> = {},
): Script {
  const algorithms = algorithmNames.filter((name) => uses & algorithmFiles[name].bit);
  const used = featureNames.filter((name) => uses & features[name]);
  return link(read, {
    libraries: [
      'clock',
      ...filesOf(algorithms, (uses & features.reservation) !== 0),
      'cells',
      ...used.flatMap((name) => featureFiles[name]),
      'forms',
      ...(options.isForMany ? ['alike', ...briefFiles(algorithms), 'brief'] : []),
      ...(uses & features.run ? [...briefFiles(algorithms), 'run'] : []),
    ],
    entry: 'decide',
    ...options,
    absent: [
      ...Object.entries(optional).flatMap(([name, feature]) => (uses & feature ? [] : [name])),
      ...(options.isForMany ? [] : inCompany),
    ],
    isPacked: (uses & features.packed) !== 0,
  });
}

/** How a counter is dealt with on a short way. */
function briefFiles(algorithms: readonly AlgorithmName[]): string[] {
  return ['brief_take', ...algorithms.flatMap((name) => algorithmFiles[name].brief ?? [])];
}

function filesOf(algorithms: readonly AlgorithmName[], givingBack: boolean): string[] {
  const files = algorithms.map((name) => algorithmFiles[name]);
  const libraries = files.flatMap((file) => file.libraries);
  return [
    ...new Set([...libraries, ...(givingBack ? files.flatMap((file) => file.giveBack) : [])]),
  ];
}
