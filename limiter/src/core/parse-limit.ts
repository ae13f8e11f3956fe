import { parseCalendar } from './calendar/index.ts';
import type { Numbers } from './algorithms/index.ts';
import { tickUsOf } from './algorithms/sliding-window-counter.ts';
import { tokenBucketNumbers } from './algorithms/token-bucket.ts';
import type { PenaltyNumbers } from './algorithms/penalty.ts';
import { parseDurationUs, type Duration } from './duration.ts';
import { InvalidInput } from './errors.ts';
import {
  createLimit,
  type Backpressure,
  type Limit,
  type LimitOverride,
  type PerPart,
  type StoreFailurePolicy,
} from './limit.ts';
import { parseMode } from './mode.ts';
import {
  describe,
  exactMax,
  parseRatePerSecond,
  parseWhole,
  reduceRate,
  type Rate,
} from './numbers.ts';
import { oneOf, parseName, refuseUnknownFields, requireObject } from './parse.ts';
import type { LimitInput } from './limit-input.ts';

const longestUs = 366 * 86_400_000_000 * 10;
const logLimitMax = 10_000;
const slotsMax = 100_000;
const growthMax = 100;

const commonFields = [
  'algorithm',
  'name',
  'unit',
  'per',
  'onMissing',
  'mode',
  'onStoreFailure',
  'blockFor',
  'blockGrowth',
  'blockMax',
  'backpressure',
  'security',
  'confirm',
];

const fieldsOf: Record<Numbers['algorithm'], readonly string[]> = {
  token_bucket: ['capacity', 'refillPerSecond', 'refill'],
  fixed_window: ['limit', 'window', 'align'],
  sliding_window_log: ['limit', 'window'],
  sliding_window_counter: ['limit', 'window'],
  concurrency: ['maxConcurrent', 'staleAfter'],
  quota: ['limit', 'period', 'anchor', 'timezone'],
};

const algorithmNames = Object.keys(fieldsOf) as Numbers['algorithm'][];

export type LimitContext = {
  readonly definedBy: string;
  readonly field: string;
  readonly override?: LimitOverride | null;
  readonly enforceFromMs?: number | null;
};

/** What a user wrote → a limit that can be trusted, or an error that names the field. */
export function parseLimit(input: LimitInput, context: LimitContext): Limit | null {
  const { definedBy, field, override = null, enforceFromMs = null } = context;
  if (typeof input !== 'object' || input === null) {
    throw new InvalidInput(field, `must be a limit, got ${describe(input)}`);
  }
  const algorithm = oneOf(`${field}.algorithm`, input.algorithm, algorithmNames);
  const known = fieldsOf[algorithm];
  refuseUnknownFields(field, input, [...commonFields, ...known]);
  const mode = parseMode(`${field}.mode`, input.mode ?? 'enforce');
  const security = parseFlag(`${field}.security`, input.security);
  requireConfirmed(field, input, security, mode);
  const limit = createLimit({
    definedBy,
    name: parseName(`${field}.name`, input.name ?? algorithm),
    numbers: parseNumbers(field, input),
    unit: parseName(`${field}.unit`, input.unit ?? 'requests'),
    per: parsePer(`${field}.per`, input.per ?? ['tenant', 'subject', 'resource']),
    onMissing: oneOf(`${field}.onMissing`, input.onMissing ?? 'shared', missing),
    mode: mode === 'off' ? 'enforce' : mode,
    onStoreFailure: parseStoreFailure(field, input, security),
    penalty: parsePenalty(field, input),
    backpressure: parseBackpressure(field, input, security),
    security,
    override,
    enforceFromMs,
  });
  requireGlobal(field, limit);
  return mode === 'off' ? null : limit;
}

const missing = ['shared', 'skip', 'reject'] as const;
const failures = ['open', 'closed', 'local'] as const;

function parseStoreFailure(
  field: string,
  { algorithm, onStoreFailure }: LimitInput,
  security: boolean,
): StoreFailurePolicy {
  const name = `${field}.onStoreFailure`;
  const policy = oneOf(name, onStoreFailure ?? (security ? 'closed' : 'open'), failures);
  if (policy === 'local' && algorithm === 'concurrency') {
    throw new InvalidInput(
      name,
      'local is not for slots, for only the store knows who holds them; use open or closed',
    );
  }
  return policy;
}

function parseNumbers(field: string, input: LimitInput): Numbers {
  switch (input.algorithm) {
    case 'token_bucket':
      return parseTokenBucket(field, input);
    case 'fixed_window':
      return {
        algorithm: 'fixed_window',
        limit: parseCount(`${field}.limit`, input.limit),
        windowUs: parseWindowUs(`${field}.window`, input.window),
        align: oneOf(`${field}.align`, input.align ?? 'clock', ['clock', 'first_request']),
      };
    case 'sliding_window_log':
      return parseLog(field, input);
    case 'sliding_window_counter':
      return parseCounter(field, input);
    case 'concurrency':
      return {
        algorithm: 'concurrency',
        slots: parseWhole(`${field}.maxConcurrent`, input.maxConcurrent, { min: 1, max: slotsMax }),
        staleAfterUs: parseWindowUs(`${field}.staleAfter`, input.staleAfter),
      };
    case 'quota': {
      const { period, anchor, timezone } = input;
      return {
        algorithm: 'quota',
        limit: parseCount(`${field}.limit`, input.limit),
        calendar: within(field, () => parseCalendar({ period, anchor, timezone })),
      };
    }
  }
}

type Of<A extends LimitInput['algorithm']> = Extract<LimitInput, { algorithm: A }>;

/** A quarter of what counts exactly: a charge, the holds and a bounded debt must all fit. */
const ticksMax = Math.floor(exactMax / 4);

function parseTokenBucket(field: string, input: Of<'token_bucket'>): Numbers {
  const capacity = parseCount(`${field}.capacity`, input.capacity);
  const rate = parseRate(field, input);
  if (capacity * rate.perUs > ticksMax || (capacity * rate.perUs) / rate.tokens > longestUs) {
    throw new InvalidInput(
      `${field}.capacity`,
      `${capacity} at this refill rate can't be counted exactly or takes over ten years to fill; lower the capacity or raise the rate`,
    );
  }
  return { algorithm: 'token_bucket', ...tokenBucketNumbers(capacity, rate) };
}

function parseRate(field: string, { refillPerSecond, refill }: Of<'token_bucket'>): Rate {
  if ((refillPerSecond === undefined) === (refill === undefined)) {
    throw new InvalidInput(
      `${field}.refillPerSecond`,
      'give either refillPerSecond or refill: { tokens, every }',
    );
  }
  if (refill === undefined) return parseRatePerSecond(`${field}.refillPerSecond`, refillPerSecond);
  requireObject(`${field}.refill`, refill);
  refuseUnknownFields(`${field}.refill`, refill, ['tokens', 'every']);
  return reduceRate(`${field}.refill`, {
    tokens: parseCount(`${field}.refill.tokens`, refill.tokens),
    perUs: parseWindowUs(`${field}.refill.every`, refill.every),
  });
}

function parseLog(field: string, input: Of<'sliding_window_log'>): Numbers {
  const limit = parseCount(`${field}.limit`, input.limit);
  if (limit > logLimitMax) {
    throw new InvalidInput(
      `${field}.limit`,
      `an exact log holds at most ${logLimitMax}; use sliding_window_counter for ${limit}`,
    );
  }
  const windowUs = parseWindowUs(`${field}.window`, input.window);
  return { algorithm: 'sliding_window_log', limit, windowUs };
}

function parseCounter(field: string, input: Of<'sliding_window_counter'>): Numbers {
  const limit = parseCount(`${field}.limit`, input.limit);
  const windowUs = parseWindowUs(`${field}.window`, input.window);
  const tickUs = tickUsOf(windowUs);
  if (windowUs % tickUs !== 0) {
    throw new InvalidInput(`${field}.window`, 'above an hour must be whole milliseconds');
  }
  if (limit * (windowUs / tickUs) > ticksMax) {
    throw new InvalidInput(
      `${field}.limit`,
      `${limit} in this window can't be weighed exactly; use a shorter window, fixed_window or a quota`,
    );
  }
  return { algorithm: 'sliding_window_counter', limit, windowUs };
}

function parsePenalty(field: string, input: LimitInput): PenaltyNumbers | null {
  if (input.blockFor === undefined) {
    const orphan = (['blockGrowth', 'blockMax'] as const).find((name) => input[name] !== undefined);
    if (orphan) throw new InvalidInput(`${field}.${orphan}`, 'needs blockFor');
    return null;
  }
  const blockUs = parseWindowUs(`${field}.blockFor`, input.blockFor);
  const growth = input.blockGrowth ?? 1;
  // Rounded, for 1.001 × 1000 is not quite 1001; what the rounding changed is refused.
  const growthThousandths = Math.round(growth * 1000);
  if (growthThousandths / 1000 !== growth || growth < 1 || growth > growthMax) {
    throw new InvalidInput(
      `${field}.blockGrowth`,
      `must be between 1 and ${growthMax}, with at most three decimal places`,
    );
  }
  const dayUs = 86_400_000_000;
  const blockMaxUs =
    input.blockMax === undefined
      ? Math.max(blockUs, growth > 1 ? dayUs : 0)
      : parseWindowUs(`${field}.blockMax`, input.blockMax);
  if (blockMaxUs < blockUs) {
    throw new InvalidInput(`${field}.blockMax`, 'must not be shorter than blockFor');
  }
  return { blockUs, growthThousandths, blockMaxUs };
}

const delayMsMax = 10_000;

function parseBackpressure(
  field: string,
  { backpressure: input }: LimitInput,
  security: boolean,
): Backpressure | null {
  if (input === undefined) return null;
  const path = `${field}.backpressure`;
  if (security) throw new InvalidInput(path, 'is not for a security limit, which never delays');
  requireObject(path, input);
  refuseUnknownFields(path, input, ['from', 'maxDelayMs', 'curve']);
  const { from = 0.8, maxDelayMs = 200, curve = 'quadratic' } = input;
  if (typeof from !== 'number' || !(from >= 0 && from < 1)) {
    throw new InvalidInput(`${path}.from`, `must be from 0 to below 1, got ${describe(from)}`);
  }
  return {
    from,
    delayMsMax: parseWhole(`${path}.maxDelayMs`, maxDelayMs, { min: 1, max: delayMsMax }),
    curve: oneOf(`${path}.curve`, curve, ['quadratic', 'linear']),
  };
}

function parseFlag(field: string, value: unknown): boolean {
  if (value === undefined) return false;
  if (typeof value === 'boolean') return value;
  throw new InvalidInput(field, `must be true or false, got ${describe(value)}`);
}

/** Nobody turns off a guard by a slip. */
function requireConfirmed(field: string, input: LimitInput, security: boolean, mode: string): void {
  const confirmed = parseFlag(`${field}.confirm`, input.confirm);
  if (!security || mode === 'enforce' || confirmed) return;
  throw new InvalidInput(
    `${field}.mode`,
    `"${mode}" would let through what a security limit is there to stop; add confirm: true if you mean it`,
  );
}

function requireGlobal(field: string, { global, per, numbers }: Limit): void {
  if (!global) return;
  const other = per.find((part) => part === 'tenant' || part === 'subject' || part === 'key');
  if (other !== undefined) {
    throw new InvalidInput(
      `${field}.per`,
      `counts all tenants together: ${other} does not go with global`,
    );
  }
  if (numbers.algorithm === 'concurrency') {
    throw new InvalidInput(`${field}.per`, 'concurrency is counted for each tenant, not globally');
  }
}

/** Names the whole path of what a parser of parts found wrong. */
function within<T>(field: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(`${field}.${error.field}`, error.problem);
  }
}

function parseCount(field: string, value: unknown): number {
  return parseWhole(field, value, { min: 1, max: 2 ** 50 });
}

function parseWindowUs(field: string, value: Duration): number {
  const windowUs = parseDurationUs(value, field);
  if (windowUs > longestUs) throw new InvalidInput(field, 'must be at most ten years');
  return windowUs;
}

const perNames = ['global', 'tenant', 'key', 'resource', 'subject'];
const perMax = 8;

function parsePer(field: string, value: unknown): readonly PerPart[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > perMax) {
    throw new InvalidInput(field, `must be a list of 1 to ${perMax} parts`);
  }
  const parts = value.map((part: unknown): PerPart => {
    if (typeof part === 'string' && perNames.includes(part)) return part as PerPart;
    if (typeof part === 'string' && part.startsWith('attributes.')) {
      parseName(field, part.slice('attributes.'.length));
      return part as PerPart;
    }
    throw new InvalidInput(field, `each part is one of ${perNames.join(', ')}, attributes.<name>`);
  });
  if (new Set(parts).size < parts.length) throw new InvalidInput(field, 'names a part twice');
  // One order for all spellings: ["subject","tenant"] and ["tenant","subject"] are one counter.
  return Object.freeze(parts.toSorted());
}
