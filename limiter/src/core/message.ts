import type { BlockedBy } from './decision.ts';
import { levelOf, type Level } from './level.ts';
import type { Limit } from './limit.ts';

export type Refusal = {
  readonly blockedBy: BlockedBy;
  readonly retryAfterMs: number | null;
  /** Null when the store failed: then no limit was looked at. */
  readonly limit: Limit | null;
};

/** One sentence for a person: what is limited, for whom, and what to do. Names no subject. */
export function refusalMessage({ blockedBy, retryAfterMs, limit }: Refusal): string {
  if (blockedBy.reason === 'blocked') {
    return `Calls are blocked for ${whom(blockedBy)}; ${tryAgain}${inWords(retryAfterMs ?? 0)}.`;
  }
  if (!limit) return 'The limit could not be checked; try again in a moment.';
  const what = allowedBy(limit, blockedBy);
  if (blockedBy.reason === 'impossible') {
    return `${what}; a single call can't take more than ${limit.size}: ask for less.`;
  }
  const wait = `${tryAgain}${inWords(retryAfterMs ?? 0)}`;
  if (blockedBy.reason === 'penalty') return `${what}; calls are blocked for now: ${wait}.`;
  return `${what}; ${wait}.`;
}

const tryAgain = 'try again in ';

/** What is said of a limit that is exceeded, up to the wait; null where it also says by whom. */
export function exceededStart(limit: Limit): string | null {
  const { name: level } = levelOf(limit);
  if (namesEntity(level)) return null;
  return `${allowedBy(limit, { level, entity: null })}; ${tryAgain}`;
}

const starts = new WeakMap<Limit, string>();

/** `search allows 100 per 1 minute for acme`. */
export function allowedBy(limit: Limit, whose: Pick<BlockedBy, 'level' | 'entity'>): string {
  let start = starts.get(limit);
  if (start === undefined) {
    start = `${limit.name} allows ${allowance(limit)} for `;
    starts.set(limit, start);
  }
  return start + whom(whose);
}

/** `100 per 1 minute`, `bursts of 10`, `5 at once`; in other units `100 tokens per 1 minute`. */
export function allowance({ numbers, size, unit }: Limit): string {
  const amount = unit === 'requests' ? String(size) : `${size} ${unit}`;
  switch (numbers.algorithm) {
    case 'token_bucket':
      return `bursts of ${amount}`;
    case 'concurrency':
      return `${size} at once`;
    case 'quota':
      return `${amount} per ${numbers.calendar.period}`;
    case 'fixed_window':
    case 'sliding_window_log':
    case 'sliding_window_counter':
      return `${amount} per ${inWords(numbers.windowUs / 1000)}`;
  }
}

function whom({ level, entity }: Pick<BlockedBy, 'level' | 'entity'>): string {
  if (namesEntity(level)) return entity ?? 'this tenant';
  if (level === 'global') return 'all callers together';
  return level === 'attribute' ? 'this caller' : `this ${level}`;
}

function namesEntity(level: Level): boolean {
  return level === 'tenant' || level === 'organization';
}

const units = [
  { name: 'day', ms: 86_400_000 },
  { name: 'hour', ms: 3_600_000 },
  { name: 'minute', ms: 60_000 },
  { name: 'second', ms: 1000 },
] as const;

/** Waits of one flood differ by less than the tenths that are told. */
let last = { name: '', tenths: 0, words: '' };

/** Rounded up: waiting as long as it says is always enough. */
export function inWords(ms: number): string {
  for (const unit of units) {
    if (ms < unit.ms) continue;
    const tenths = Math.ceil((ms / unit.ms) * 10);
    if (last.tenths !== tenths || last.name !== unit.name) {
      last = { name: unit.name, tenths, words: tenthsInWords(tenths, unit.name) };
    }
    return last.words;
  }
  return `${Math.ceil(ms)} ms`;
}

/** Digits by themselves: a fraction takes many times as long to spell, and each refusal has one. */
function tenthsInWords(tenths: number, unit: string): string {
  if (tenths === 10) return `1 ${unit}`;
  const whole = Math.floor(tenths / 10);
  return tenths % 10 === 0 ? `${whole} ${unit}s` : `${whole}.${tenths % 10} ${unit}s`;
}
