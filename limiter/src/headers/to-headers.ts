import { Decision, type ShownLimit } from '../core/decision.ts';
import { InvalidInput } from '../core/errors.ts';
import { describe } from '../core/numbers.ts';
import { oneOf, refuseUnknownFields, requireObject } from '../core/parse.ts';
import type { DecisionView } from '../core/limiter-port.ts';
import { spelledNames, type Names } from './names.ts';
import { closest, policyItem, rateLimitFields, spellingOf, toldOf } from './rate-limit-fields.ts';
import { requireJitter, retryAfterSeconds, type Jitter } from './retry-after.ts';
import { integer } from './structured.ts';
import { writeViewHeaders } from './view-headers.ts';
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
  /** What a decision of the service counts seconds from; default `Date.now`. */
  readonly nowMs?: () => number;
};

/** A decision as HTTP fields, for the 200 and the 429 alike. */
export function toHeaders(
  decision: DecisionView,
  options: HeaderOptions = {},
): Record<string, string> {
  const headers: Record<string, string> = {};
  fillHeaders(headers, decision, options);
  return headers;
}

/** The same into an object that has fields already. */
export function fillHeaders(
  headers: Record<string, string>,
  decision: DecisionView,
  options: HeaderOptions = {},
): void {
  requireDecision(decision);
  requireHeaderOptions(options);
  writeHeaders(new Collected(headers), decision, options);
}

/** Of a decision and of options that were looked at before; into an object that may have fields already. */
export function headersOf(
  decision: DecisionView,
  options: HeaderOptions,
  headers: Record<string, string> = {},
): Record<string, string> {
  writeHeaders(new Collected(headers), decision, options);
  return headers;
}

/** What fields are written to one by one: a response, where an object of them would be made for nothing. */
export type HeaderTarget = { setHeader(name: string, value: string): void };

class Collected implements HeaderTarget {
  readonly #headers: Record<string, string>;

  constructor(headers: Record<string, string>) {
    this.#headers = headers;
  }

  setHeader(name: string, value: string): void {
    this.#headers[name] = value;
  }
}

/** The same without an object between. */
export function writeHeaders(
  target: HeaderTarget,
  decision: DecisionView,
  options: HeaderOptions,
): void {
  const { profile = 'default', lowerCase = false } = options;
  if (profile === 'none') return;
  const spelled = spelledNames(lowerCase);
  if (!(decision instanceof Decision)) return writeViewHeaders(target, spelled, decision, options);
  const shown = Decision.shownOf(decision);
  if (!shown) return writeRetryAfter(target, spelled, decision, options);
  const nowUs = Decision.nowUsOf(decision);
  if (profile === 'default') writeUnixTrio(target, spelled, shown);
  if (profile === 'trio') writeTrio(target, spelled, shown, nowUs);
  writeRetryAfter(target, spelled, decision, options);
  const views = Decision.viewsOf(decision);
  if (profile !== 'trio') writeDraft(target, spelled, closest(views), nowUs);
  const warning = warningOf(views, options.enforceFrom);
  if (warning !== null) target.setHeader(spelled.warning, warning);
}

/**
 * The same of one limit that refuses, and let the call in: most are. Nothing is to be chosen, to be
 * waited for or to be warned of then.
 */
export function writePassHeaders(
  target: HeaderTarget,
  only: ShownLimit,
  nowUs: number,
  { profile = 'default', lowerCase = false }: HeaderOptions,
): void {
  if (profile === 'none') return;
  const spelled = spelledNames(lowerCase);
  if (profile === 'trio') {
    writeTrio(target, spelled, only, nowUs);
    return target.setHeader(spelled.retryAfter, '0');
  }
  const spelling = spellingOf(only.bound.limit);
  const told = toldOf(spelling, only, nowUs);
  if (profile === 'default') {
    target.setHeader(spelled.limit, spelling.size);
    target.setHeader(spelled.remaining, told.remaining);
    target.setHeader(spelled.reset, unixText(only.view.resetAtUs));
  }
  target.setHeader(spelled.retryAfter, '0');
  target.setHeader(spelled.policy, policyItem(spelling, nowUs));
  return target.setHeader(spelled.state, told.state);
}

function requireDecision(decision: DecisionView): void {
  if (decision instanceof Decision) return;
  const { allowed, limits } = (decision ?? {}) as Partial<DecisionView>;
  if (typeof allowed === 'boolean' && Array.isArray(limits)) return;
  throw new InvalidInput('decision', `must be one of ours, got ${describe(decision)}`);
}

function writeUnixTrio(target: HeaderTarget, spelled: Names, { bound, view }: ShownLimit): void {
  target.setHeader(spelled.limit, spellingOf(bound.limit).size);
  target.setHeader(spelled.remaining, String(view.remaining));
  target.setHeader(spelled.reset, unixText(view.resetAtUs));
}

/** Windows that are aligned end for all at once. */
let lastReset = { us: Number.NaN, text: '' };

function unixText(us: number): string {
  if (lastReset.us !== us) lastReset = { us, text: String(Math.ceil(us / 1_000_000)) };
  return lastReset.text;
}

function writeTrio(
  target: HeaderTarget,
  spelled: Names,
  { bound, view }: ShownLimit,
  nowUs: number,
): void {
  const seconds = Math.max(0, Math.ceil((view.resetAtUs - nowUs) / 1_000_000));
  target.setHeader(spelled.trioLimit, integer(bound.limit.size));
  target.setHeader(spelled.trioRemaining, integer(view.remaining));
  target.setHeader(spelled.trioReset, integer(seconds));
}

function writeRetryAfter(
  target: HeaderTarget,
  spelled: Names,
  decision: Decision,
  options: HeaderOptions,
): void {
  const { jitter = 0, random = Math.random } = options;
  const seconds = retryAfterSeconds(decision, jitter, random);
  if (seconds !== null) target.setHeader(spelled.retryAfter, String(seconds));
}

function writeDraft(
  target: HeaderTarget,
  spelled: Names,
  limits: readonly ShownLimit[],
  nowUs: number,
): void {
  if (limits.length === 0) return;
  const { policy, state } = rateLimitFields(limits, nowUs);
  target.setHeader(spelled.policy, policy);
  target.setHeader(spelled.state, state);
}

const knownOptions = ['profile', 'jitter', 'random', 'enforceFrom', 'lowerCase', 'nowMs'];

export function requireHeaderOptions(options: HeaderOptions): void {
  requireObject('options', options);
  refuseUnknownFields('options', options, knownOptions);
  const { profile, jitter, random, lowerCase, nowMs } = options;
  if (profile !== undefined) oneOf('profile', profile, headerProfiles);
  if (jitter !== undefined) requireJitter(jitter);
  requireFunction('random', random);
  requireFunction('nowMs', nowMs);
  if (lowerCase !== undefined && typeof lowerCase !== 'boolean') {
    throw new InvalidInput('lowerCase', `must be true or false, got ${describe(lowerCase)}`);
  }
}

function requireFunction(field: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return;
  throw new InvalidInput(field, `must be a function, got ${describe(value)}`);
}
