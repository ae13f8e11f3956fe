import type { Numbers } from '../../core/algorithms/index.ts';
import { tokenBucketNumbers } from '../../core/algorithms/token-bucket.ts';
import { periodsAround } from '../../core/algorithms/quota.ts';
import type { PeriodBounds } from '../../core/calendar/index.ts';
import type { Clock } from '../../core/clock.ts';
import type { Limit } from '../../core/limit.ts';
import { algorithmFiles } from './scripts.ts';

/** Turns limits into what scripts read: numbers for `decide.lua`, a text for all that come later. */
export class LimitTexts {
  readonly #clock: Clock;
  #aheadUs = 0;
  readonly #fixed = new WeakMap<Limit, string>();

  /** The clock only names the two periods of a quota that the server's clock then picks from. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The server's clock is so far from ours that we named the wrong periods. */
  correctClock(serverNowUs: number): void {
    this.#aheadUs = serverNowUs - this.#clock();
  }

  /** What `limit_parse` in `limit_text.lua` reads. */
  of(limit: Limit, { key, cost }: LimitUse): string {
    const { code } = algorithmFiles[limit.numbers.algorithm];
    const numbers = this.#numbers(limit).replaceAll(',', ' ');
    return `${code}${limit.enforced ? 0 : 1}0 ${key} ${cost} ${numbers}`;
  }

  /** What `form_limits` in `forms.lua` reads. */
  listed(limit: Limit, { cost, counted, holds }: ListedUse): string {
    const { code } = algorithmFiles[limit.numbers.algorithm];
    const { penalty } = limit;
    let standing = (counted ? 1 : 0) + (limit.enforced ? 0 : 2);
    if (penalty) standing += 4;
    if (holds) standing += 8;
    const text = `,${code},${standing},${cost},${this.#numbers(limit)}`;
    if (!penalty) return text;
    return `${text},${penalty.blockUs},${penalty.growthThousandths},${penalty.blockMaxUs}`;
  }

  #numbers(limit: Limit): string {
    let fixed = this.#fixed.get(limit);
    if (fixed === undefined) this.#fixed.set(limit, (fixed = fixedNumbers(limit.numbers)));
    return fixed === '' ? this.#quotaNumbers(limit.numbers) : fixed;
  }

  #quotaNumbers(numbers: Numbers): string {
    if (numbers.algorithm !== 'quota') return '';
    const { current, next } = periodsAround(numbers.calendar, this.#clock() + this.#aheadUs);
    return `${numbers.limit},${current.startUs},${current.endUs},${next.endUs}`;
  }
}

/** What `seed.lua` reads: a quota of which only the period and what is used of it are known. */
export function seedText(key: number, { startUs, endUs }: PeriodBounds, used: number): string {
  return `${algorithmFiles.quota.code}00 ${key} ${used} 0 ${startUs} ${endUs} 0`;
}

export type LimitUse = {
  /** Position of the counter in KEYS, from 1. */
  readonly key: number;
  readonly cost: number;
};

export type ListedUse = {
  readonly cost: number;
  /** Whether making this counter takes from the tenant's allowance. */
  readonly counted: boolean;
  /** Whether the cost is held rather than charged. */
  readonly holds: boolean;
};

/** What follows a limit's text where a refusal is punished. */
export function penaltyText({ penalty }: Limit, position: number): string {
  if (!penalty) return '';
  return ` p${position} ${penalty.blockUs} ${penalty.growthThousandths} ${penalty.blockMaxUs}`;
}

/** Empty where it takes a calendar to tell. */
function fixedNumbers(numbers: Numbers): string {
  switch (numbers.algorithm) {
    case 'token_bucket':
      return `${numbers.capacity},${numbers.tokens},${numbers.perUs},0`;
    case 'fixed_window':
      return `${numbers.limit},${numbers.windowUs},${numbers.align === 'clock' ? 0 : 1},0`;
    case 'sliding_window_counter':
    case 'sliding_window_log':
      return `${numbers.limit},${numbers.windowUs},0,0`;
    case 'concurrency':
      return `${numbers.slots},${numbers.staleAfterUs},0,0`;
    case 'quota':
      return '';
  }
}

/**
 * The numbers of an argument, as far as showing a state needs them: a quota's calendar is not among
 * them, and a fixed window of the same limit shows the same.
 */
export function numbersOf(
  algorithm: Numbers['algorithm'],
  [a, b, c]: readonly [number, number, number],
): Numbers {
  switch (algorithm) {
    case 'token_bucket':
      return { algorithm, ...tokenBucketNumbers(a, { tokens: b, perUs: c }) };
    case 'fixed_window':
    case 'quota':
      return { algorithm: 'fixed_window', limit: a, windowUs: b, align: 'clock' };
    case 'sliding_window_counter':
    case 'sliding_window_log':
      return { algorithm, limit: a, windowUs: b };
    case 'concurrency':
      return { algorithm, slots: a, staleAfterUs: b };
  }
}
