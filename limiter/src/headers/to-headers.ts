import { Decision, type ShownLimit } from '../core/decision.ts';
import { InvalidInput } from '../core/errors.ts';
import { describe } from '../core/numbers.ts';
import { oneOf, refuseUnknownFields, requireObject } from '../core/parse.ts';
import { closest, rateLimitFields } from './rate-limit-fields.ts';
import { requireJitter, retryAfterSeconds, type Jitter } from './retry-after.ts';
import { integer } from './structured.ts';
import { warningOf, type EnforceFrom } from './warning.ts';

/**
 * `default`: the `X-RateLimit-` fields (reset in Unix seconds) and the current IETF draft; `ietf`:
 * the draft alone; `trio`: `RateLimit-Limit`, `-Remaining` and `-Reset` of earlier drafts (reset in
 * seconds from now); `none`: nothing.
 */
export const headerProfiles = ['default', 'ietf', 'trio', 'none'] as const;
export type HeaderProfile = (typeof headerProfiles)[number];

export type HeaderOptions = {
  readonly profile?: HeaderProfile;
  /** Default none. */
  readonly jitter?: Jitter;
  /** What a share of jitter is drawn from; default `Math.random`. */
  readonly random?: () => number;
  readonly enforceFrom?: EnforceFrom;
  /** Names in lower case: HTTP/2 demands it, and some servers would change each of them again. */
  readonly lowerCase?: boolean;
};

const names = {
  limit: 'X-RateLimit-Limit',
  remaining: 'X-RateLimit-Remaining',
  reset: 'X-RateLimit-Reset',
  trioLimit: 'RateLimit-Limit',
  trioRemaining: 'RateLimit-Remaining',
  trioReset: 'RateLimit-Reset',
  retryAfter: 'Retry-After',
  policy: 'RateLimit-Policy',
  state: 'RateLimit',
  warning: 'X-RateLimit-Warning',
} as const;

type Names = Readonly<Record<keyof typeof names, string>>;

const lowerNames = Object.fromEntries(
  Object.entries(names).map(([field, name]) => [field, name.toLowerCase()]),
) as Names;

/** A decision as HTTP fields, for the 200 and the 429 alike. */
export function toHeaders(decision: Decision, options: HeaderOptions = {}): Record<string, string> {
  const headers: Record<string, string> = {};
  fillHeaders(headers, decision, options);
  return headers;
}

/** The same into an object that has fields already. */
export function fillHeaders(
  headers: Record<string, string>,
  decision: Decision,
  options: HeaderOptions = {},
): void {
  if (!(decision instanceof Decision)) {
    throw new InvalidInput('decision', `must be one of ours, got ${describe(decision)}`);
  }
  requireOptions(options);
  const { profile = 'default', lowerCase = false } = options;
  if (profile === 'none') return;
  const spelled = lowerCase ? lowerNames : names;
  const shown = Decision.shownOf(decision);
  if (shown && profile === 'default') fillUnixTrio(headers, spelled, decision, shown);
  if (shown && profile === 'trio') fillTrio(headers, spelled, decision, shown);
  fillRetryAfter(headers, spelled, decision, options);
  if (!shown) return;
  const views = Decision.viewsOf(decision);
  if (profile !== 'trio') fillDraft(headers, spelled, decision, views);
  const warning = warningOf(views, options.enforceFrom);
  if (warning !== null) headers[spelled.warning] = warning;
}

type Headers = Record<string, string>;

function fillUnixTrio(
  headers: Headers,
  spelled: Names,
  decision: Decision,
  { bound, view }: ShownLimit,
): void {
  headers[spelled.limit] = String(bound.limit.size);
  headers[spelled.remaining] = String(view.remaining);
  headers[spelled.reset] = String(decision.resetAt);
}

function fillTrio(
  headers: Headers,
  spelled: Names,
  decision: Decision,
  { bound, view }: ShownLimit,
): void {
  const { nowUs } = Decision.factsOf(decision).answer;
  const seconds = Math.max(0, Math.ceil((view.resetAtUs - nowUs) / 1_000_000));
  headers[spelled.trioLimit] = integer(bound.limit.size);
  headers[spelled.trioRemaining] = integer(view.remaining);
  headers[spelled.trioReset] = integer(seconds);
}

function fillRetryAfter(
  headers: Headers,
  spelled: Names,
  decision: Decision,
  options: HeaderOptions,
): void {
  const { jitter = 0, random = Math.random } = options;
  const seconds = retryAfterSeconds(decision, jitter, random);
  if (seconds !== null) headers[spelled.retryAfter] = String(seconds);
}

function fillDraft(
  headers: Headers,
  spelled: Names,
  decision: Decision,
  views: readonly ShownLimit[],
): void {
  const limits = closest(views);
  if (limits.length === 0) return;
  const { nowUs } = Decision.factsOf(decision).answer;
  const { policy, state } = rateLimitFields(limits, nowUs);
  headers[spelled.policy] = policy;
  headers[spelled.state] = state;
}

const knownOptions = ['profile', 'jitter', 'random', 'enforceFrom', 'lowerCase'];

function requireOptions(options: HeaderOptions): void {
  requireObject('options', options);
  refuseUnknownFields('options', options, knownOptions);
  const { profile, jitter, random, lowerCase } = options;
  if (profile !== undefined) oneOf('profile', profile, headerProfiles);
  if (jitter !== undefined) requireJitter(jitter);
  if (random !== undefined && typeof random !== 'function') {
    throw new InvalidInput('random', `must be a function, got ${describe(random)}`);
  }
  if (lowerCase !== undefined && typeof lowerCase !== 'boolean') {
    throw new InvalidInput('lowerCase', `must be true or false, got ${describe(lowerCase)}`);
  }
}
