import { algorithmOf, type AnyAlgorithm, type Numbers } from './algorithms/index.ts';
import type { PenaltyNumbers } from './algorithms/penalty.ts';

export type Mode = 'enforce' | 'warn' | 'shadow' | 'off';
export type StoreFailurePolicy = 'open' | 'closed' | 'local';
export type MissingAttribute = 'shared' | 'skip' | 'reject';

/**
 * What one counter is for. `key` is the API key, which only a service knows; what is `global` is
 * counted for all tenants together.
 */
export type PerPart = 'global' | 'tenant' | 'key' | 'resource' | 'subject' | `attributes.${string}`;

/** One rule, validated: what `parseLimit` makes of what a user wrote. Immutable. */
export type Limit = {
  readonly name: string;
  readonly numbers: Numbers;
  readonly algorithm: AnyAlgorithm;
  readonly size: number;
  readonly unit: string;
  readonly per: readonly PerPart[];
  readonly onMissing: MissingAttribute;
  readonly mode: Exclude<Mode, 'off'>;
  readonly onStoreFailure: StoreFailurePolicy;
  readonly penalty: PenaltyNumbers | null;
  readonly backpressure: Backpressure | null;
  /** Guards something: it fails closed, and is never slowed down instead of refused. */
  readonly security: boolean;
  /** What replaced the limit's own numbers. */
  readonly override: LimitOverride | null;
  /** When a limit that only warns or watches begins to refuse; milliseconds. */
  readonly enforceFromMs: number | null;
  /**
   * Whose counter this is: who defines the limit, its name, algorithm, unit and `per`. Its numbers
   * are not part of it, so that a changed limit keeps what was used.
   */
  readonly counterId: string;
  /**
   * `per` without the tenant, whose counters are apart from others' in any case, and without
   * `global`, whose counters are nobody's. The subject comes last: where each part leads to a map of the next, few maps are made, and most are shared.
   */
  readonly identifiedBy: readonly PerPart[];
  readonly enforced: boolean;
  /** Its counter is no tenant's. */
  readonly global: boolean;
};

/** Near its end a limit advises callers to wait: none at `from`, all of it when nothing is left. */
export type Backpressure = {
  /** The share of the limit, from 0 to 1, from which on it advises. */
  readonly from: number;
  readonly delayMsMax: number;
  readonly curve: 'quadratic' | 'linear';
};

export type LimitOverride = { readonly id: string | null; readonly baseSize: number };

export type LimitParts = Omit<
  Limit,
  'algorithm' | 'size' | 'counterId' | 'identifiedBy' | 'enforced' | 'global'
> & {
  /** The plan or policy that defines the limit. */
  readonly definedBy: string;
};

export function createLimit({ definedBy, ...parts }: LimitParts): Limit {
  const algorithm = algorithmOf(parts.numbers.algorithm);
  return Object.freeze({
    ...parts,
    algorithm,
    size: algorithm.sizeOf(parts.numbers),
    counterId: joined([definedBy, parts.name, kindOf(parts.numbers), parts.unit, ...parts.per]),
    identifiedBy: identifyingParts(parts.per),
    enforced: parts.mode === 'enforce',
    global: parts.per.includes('global'),
  });
}

function identifyingParts(per: readonly PerPart[]): PerPart[] {
  const others = per.filter((part) => !['global', 'tenant', 'subject'].includes(part));
  return per.includes('subject') ? [...others, 'subject'] : others;
}

const overflows = new WeakMap<Limit, Limit>();

/**
 * The same limit with the one counter that newcomers share when a tenant may make no more: its id
 * is no join of parts, so that no identity can name it.
 */
export function overflowOf(limit: Limit): Limit {
  let shared = overflows.get(limit);
  if (!shared) {
    shared = Object.freeze({ ...limit, counterId: `${limit.counterId}!overflow` });
    overflows.set(limit, shared);
  }
  return shared;
}

/** A daily and a monthly quota of one name are two counters: their periods do not nest. */
function kindOf(numbers: Numbers): string {
  return numbers.algorithm === 'quota' ? `quota/${numbers.calendar.period}` : numbers.algorithm;
}

/** Length-prefixed, so that no two lists of parts read the same. */
export function joined(parts: readonly string[]): string {
  let text = '';
  for (const part of parts) text += `${part.length}:${part}`;
  return text;
}
