import { InvalidInput } from 'sluice';
import { type CanonicalLimit, canonicalLimit } from 'sluice/contract';
import type { Definition } from '../definitions.ts';

/** The fields of limits that an override may replace. */
export const numberFields = [
  'bucket_capacity',
  'refill_rate_per_sec',
  'limit',
  'window_seconds',
  'max_concurrent',
  'stale_after_seconds',
] as const;
export type NumberField = (typeof numberFields)[number];

export type Numbers = Readonly<Partial<Record<NumberField, number>>>;

/** What a share of another limit stands for. */
const sizes = {
  token_bucket: 'bucket_capacity',
  fixed_window: 'limit',
  sliding_window_log: 'limit',
  sliding_window_counter: 'limit',
  concurrency: 'max_concurrent',
  quota: 'limit',
} as const satisfies Record<CanonicalLimit['algorithm'], NumberField>;

/** The limit with other numbers. One that has a size of its own is no share any more. */
export function withNumbers(limit: CanonicalLimit, numbers: Numbers): object {
  const { share_of: share, ...rest } = limit;
  const isShare = share !== undefined && numbers[sizes[limit.algorithm]] === undefined;
  return { ...rest, ...(isShare && { share_of: share }), ...numbers };
}

/** Each must be a number of the limit, and make a limit with those that stay. */
export function requireNumbers(definitions: readonly Definition[], numbers: Numbers): void {
  for (const { by, name, limit } of definitions) {
    try {
      canonicalLimit(withNumbers(limit, numbers), 'numbers');
    } catch (error) {
      if (!(error instanceof InvalidInput) || definitions.length === 1) throw error;
      const problem = `${error.problem} (so it is in the ${by} ${name}; plan_id names another)`;
      throw new InvalidInput(error.field, problem);
    }
  }
}
