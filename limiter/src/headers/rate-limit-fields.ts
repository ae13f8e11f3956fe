import { periodsAround } from '../core/algorithms/quota.ts';
import type { ShownLimit } from '../core/decision.ts';
import { inOnePiece } from '../core/in-one-piece.ts';
import type { Limit } from '../core/limit.ts';
import { effectiveSeconds, wholeSeconds } from './effective-window.ts';
import { integer, quoted } from './structured.ts';

/** `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11. */

const itemsMax = 4;

/**
 * The enforced limits that are closest to exhaustion, closest first, ties by name. What a limit
 * that is only observed would do is nobody's business but the operator's.
 */
export function closest(views: readonly ShownLimit[]): readonly ShownLimit[] {
  const [only] = views;
  if (only && views.length === 1) return only.bound.limit.enforced ? views : [];
  const chosen: ShownLimit[] = [];
  for (const view of views) {
    if (!view.bound.limit.enforced) continue;
    let at = chosen.length;
    while (at > 0 && isCloser(view, chosen[at - 1] as ShownLimit)) at -= 1;
    if (at === itemsMax) continue;
    if (chosen.length === itemsMax) chosen.pop();
    if (at === chosen.length) chosen.push(view);
    else chosen.splice(at, 0, view);
  }
  return chosen;
}

function isCloser(a: ShownLimit, b: ShownLimit): boolean {
  const difference = leftOf(a) - leftOf(b);
  return difference < 0 || (difference === 0 && a.bound.limit.name < b.bound.limit.name);
}

function leftOf({ bound, view }: ShownLimit): number {
  return view.remaining / bound.limit.size;
}

/** `policy` says what the rules are, `state` where the caller stands, item by item. */
export type RateLimitFields = { readonly policy: string; readonly state: string };

export function rateLimitFields(limits: readonly ShownLimit[], nowUs: number): RateLimitFields {
  let policy = '';
  let state = '';
  for (const shown of limits) {
    const spelling = spellingOf(shown.bound.limit);
    if (policy !== '') {
      policy += ', ';
      state += ', ';
    }
    policy += policyItem(spelling, nowUs);
    state += toldOf(spelling, shown, nowUs).state;
  }
  return { policy, state };
}

/** What remains and for how long, as it is spelled. */
export function toldOf(spelling: Spelling, shown: ShownLimit, nowUs: number): Told {
  const seconds = effectiveSeconds(shown, nowUs);
  const left = shown.view.remaining;
  const at = left % toldMax;
  const before = toldLately[at];
  if (before?.spelling === spelling && before.left === left && before.seconds === seconds) {
    return before;
  }
  const until = seconds === null ? '' : `;t=${integer(seconds)}`;
  // Node looks at each letter before it sends a field.
  const state = inOnePiece(spelling.state + integer(left) + until);
  return (toldLately[at] = { spelling, left, seconds, remaining: String(left), state });
}

type Told = {
  readonly spelling: Spelling;
  readonly left: number;
  readonly seconds: number | null;
  readonly remaining: string;
  /** The draft's item. */
  readonly state: string;
};

/**
 * What was told lately, by what was left. Of most limits many callers have as much left as others, and
 * for a second all are told the same: then nothing is put together, and nobody looks at new letters.
 */
const toldMax = 1024;
const toldLately = Array.from<Told | undefined>({ length: toldMax });

/** A limit as it is spelled in fields. `policy` is that of the window it was last spelled for. */
export type Spelling = {
  readonly limit: Limit;
  /** Up to what remains. */
  readonly state: string;
  readonly size: string;
  readonly rule: string;
  windowS: number;
  policy: string;
};

const spellings = new WeakMap<Limit, Spelling>();
/** Most decisions are on the same limit as the last. */
let last: Spelling | undefined;

export function spellingOf(limit: Limit): Spelling {
  if (last?.limit === limit) return last;
  let spelling = spellings.get(limit);
  if (!spelling) {
    const name = quoted(limit.name);
    const unit = unitOf(limit);
    const unitText = unit === null ? '' : `;qu=${quoted(unit)}`;
    const rule = inOnePiece(`${name};q=${integer(limit.size)}${unitText}`);
    const state = inOnePiece(`${name};r=`);
    spelling = { limit, state, size: String(limit.size), rule, windowS: 0, policy: rule };
    spellings.set(limit, spelling);
  }
  last = spelling;
  return spelling;
}

export function policyItem(spelling: Spelling, nowUs: number): string {
  const { limit } = spelling;
  // Months differ in length; all other windows are spelled once.
  if (spelling.windowS === 0 || limit.numbers.algorithm === 'quota') {
    const windowS = windowSeconds(limit, nowUs);
    if (windowS !== null && windowS !== spelling.windowS) {
      spelling.windowS = windowS;
      spelling.policy = inOnePiece(`${spelling.rule};w=${integer(windowS)}`);
    }
  }
  return spelling.policy;
}

function unitOf({ numbers, unit }: Limit): string | null {
  if (numbers.algorithm === 'concurrency') return 'concurrent-requests';
  return unit === 'requests' ? null : unit;
}

function windowSeconds({ numbers }: Limit, nowUs: number): number | null {
  switch (numbers.algorithm) {
    case 'concurrency':
      return null;
    case 'token_bucket':
      return wholeSeconds(numbers.fillUs + (numbers.fillFraction > 0 ? 1 : 0));
    case 'fixed_window':
    case 'sliding_window_log':
    case 'sliding_window_counter':
      return wholeSeconds(numbers.windowUs);
    case 'quota': {
      const { startUs, endUs } = periodsAround(numbers.calendar, nowUs).current;
      return wholeSeconds(endUs - startUs);
    }
  }
}
