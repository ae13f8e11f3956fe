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
};

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
  const { profile = 'default' } = options;
  if (profile === 'none') return;
  const shown = Decision.shownOf(decision);
  if (shown && profile === 'default') fillUnixTrio(headers, decision, shown);
  if (shown && profile === 'trio') fillTrio(headers, decision, shown);
  fillRetryAfter(headers, decision, options);
  if (!shown) return;
  const views = Decision.viewsOf(decision);
  if (profile !== 'trio') fillDraft(headers, decision, views);
  const warning = warningOf(views, options.enforceFrom);
  if (warning !== null) headers['X-RateLimit-Warning'] = warning;
}

type Headers = Record<string, string>;

function fillUnixTrio(headers: Headers, decision: Decision, { bound, view }: ShownLimit): void {
  headers['X-RateLimit-Limit'] = String(bound.limit.size);
  headers['X-RateLimit-Remaining'] = String(view.remaining);
  headers['X-RateLimit-Reset'] = String(decision.resetAt);
}

function fillTrio(headers: Headers, decision: Decision, { bound, view }: ShownLimit): void {
  const { nowUs } = Decision.factsOf(decision).answer;
  const seconds = Math.max(0, Math.ceil((view.resetAtUs - nowUs) / 1_000_000));
  headers['RateLimit-Limit'] = integer(bound.limit.size);
  headers['RateLimit-Remaining'] = integer(view.remaining);
  headers['RateLimit-Reset'] = integer(seconds);
}

function fillRetryAfter(headers: Headers, decision: Decision, options: HeaderOptions): void {
  const { jitter = 0, random = Math.random } = options;
  const seconds = retryAfterSeconds(decision, jitter, random);
  if (seconds !== null) headers['Retry-After'] = String(seconds);
}

function fillDraft(headers: Headers, decision: Decision, views: readonly ShownLimit[]): void {
  const limits = closest(views);
  if (limits.length === 0) return;
  const { nowUs } = Decision.factsOf(decision).answer;
  const { policy, state } = rateLimitFields(limits, nowUs);
  headers['RateLimit-Policy'] = policy;
  headers['RateLimit'] = state;
}

const knownOptions = ['profile', 'jitter', 'random', 'enforceFrom'];

function requireOptions(options: HeaderOptions): void {
  requireObject('options', options);
  refuseUnknownFields('options', options, knownOptions);
  const { profile, jitter, random } = options;
  if (profile !== undefined) oneOf('profile', profile, headerProfiles);
  if (jitter !== undefined) requireJitter(jitter);
  if (random !== undefined && typeof random !== 'function') {
    throw new InvalidInput('random', `must be a function, got ${describe(random)}`);
  }
}
