import { periodsAround } from '../core/algorithms/quota.ts';
import type { ShownLimit } from '../core/decision.ts';
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
    const { limit } = shown.bound;
    const spelling = spellingOf(limit);
    const seconds = effectiveSeconds(shown, nowUs);
    if (policy !== '') {
      policy += ', ';
      state += ', ';
    }
    policy += policyItem(limit, spelling, nowUs);
    state += `${spelling.name};r=${integer(shown.view.remaining)}`;
    if (seconds !== null) state += `;t=${integer(seconds)}`;
  }
  return { policy, state };
}

/** A limit as it is spelled in fields. `policy` is that of the window it was last spelled for. */
type Spelling = { readonly name: string; readonly rule: string; windowS: number; policy: string };

const spellings = new WeakMap<Limit, Spelling>();

function spellingOf(limit: Limit): Spelling {
  let spelling = spellings.get(limit);
  if (!spelling) {
    const name = quoted(limit.name);
    const unit = unitOf(limit);
    const rule = `${name};q=${integer(limit.size)}${unit === null ? '' : `;qu=${quoted(unit)}`}`;
    spelling = { name, rule, windowS: 0, policy: rule };
    spellings.set(limit, spelling);
  }
  return spelling;
}

function policyItem(limit: Limit, spelling: Spelling, nowUs: number): string {
  // Months differ in length; all other windows are spelled once.
  if (spelling.windowS === 0 || limit.numbers.algorithm === 'quota') {
    const windowS = windowSeconds(limit, nowUs);
    if (windowS !== null && windowS !== spelling.windowS) {
      spelling.windowS = windowS;
      spelling.policy = `${spelling.rule};w=${integer(windowS)}`;
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
