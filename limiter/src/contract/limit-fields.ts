import type { AlgorithmName } from '../core/algorithms/index.ts';
import type { CanonicalLimit } from './wire-limit.ts';

/** The API's fields of a limit, and what the library calls them. */
export const libraryNames = {
  name: 'name',
  algorithm: 'algorithm',
  bucket_capacity: 'capacity',
  refill_rate_per_sec: 'refillPerSecond',
  limit: 'limit',
  window_seconds: 'window',
  align: 'align',
  max_concurrent: 'maxConcurrent',
  stale_after_seconds: 'staleAfter',
  period: 'period',
  anchor: 'anchor',
  timezone: 'timezone',
  unit: 'unit',
  per: 'per',
  on_missing: 'onMissing',
  mode: 'mode',
  on_store_failure: 'onStoreFailure',
  block_for_seconds: 'blockFor',
  block_growth: 'blockGrowth',
  block_max_seconds: 'blockMax',
  backpressure: 'backpressure',
  security: 'security',
  confirm: 'confirm',
} as const;

export type LimitField = keyof typeof libraryNames;

type OwnFields = {
  readonly required: readonly LimitField[];
  readonly optional: readonly LimitField[];
};

export const ownFields: Readonly<Record<AlgorithmName, OwnFields>> = {
  token_bucket: { required: ['bucket_capacity', 'refill_rate_per_sec'], optional: [] },
  fixed_window: { required: ['limit', 'window_seconds'], optional: ['align'] },
  sliding_window_log: { required: ['limit', 'window_seconds'], optional: [] },
  sliding_window_counter: { required: ['limit', 'window_seconds'], optional: [] },
  concurrency: { required: ['max_concurrent', 'stale_after_seconds'], optional: [] },
  quota: { required: ['limit', 'period'], optional: ['anchor', 'timezone'] },
};

/** Of every limit, and known to the library. */
export const commonFields: readonly LimitField[] = [
  'unit',
  'per',
  'on_missing',
  'mode',
  'on_store_failure',
  'block_for_seconds',
  'block_growth',
  'block_max_seconds',
  'backpressure',
  'security',
  'confirm',
];

/** Of every limit, and no business of the library: who resolves limits reads them. */
export const platformFields = ['resources', 'when', 'share_of', 'consistency'] as const;

/** Part of the contract, and not yet of the program. What they may say by default changes nothing. */
export const fieldsToCome: Readonly<Record<string, unknown>> = {
  priority: undefined,
  adaptive: false,
};

/** Which number says how much there is: what a share of another limit stands for. */
export const sizeFields: Readonly<Record<AlgorithmName, LimitField>> = {
  token_bucket: 'bucket_capacity',
  fixed_window: 'limit',
  sliding_window_log: 'limit',
  sliding_window_counter: 'limit',
  concurrency: 'max_concurrent',
  quota: 'limit',
};

export const secondsFields: readonly LimitField[] = [
  'window_seconds',
  'stale_after_seconds',
  'block_for_seconds',
  'block_max_seconds',
];

const allOwnFields = new Set(
  Object.values(ownFields).flatMap(({ required, optional }) => [...required, ...optional]),
);

/** The algorithms that a field belongs to; none when it is no algorithm's own. */
export function ownersOf(field: string): AlgorithmName[] {
  if (!allOwnFields.has(field as LimitField)) return [];
  return (Object.keys(ownFields) as AlgorithmName[]).filter((algorithm) =>
    listOwn(algorithm).includes(field as LimitField),
  );
}

export function listOwn(algorithm: AlgorithmName): readonly LimitField[] {
  const { required, optional } = ownFields[algorithm];
  return [...required, ...optional];
}

/** The numbers of a limit, under their names. */
export function numbersOf(limit: CanonicalLimit): Readonly<Record<string, unknown>> {
  const fields = limit as Readonly<Record<string, unknown>>;
  const own = [...listOwn(limit.algorithm), 'share_of'].filter(
    (name) => fields[name] !== undefined,
  );
  return Object.fromEntries(own.map((name) => [name, fields[name]]));
}
