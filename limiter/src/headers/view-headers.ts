import type { DecisionView } from '../core/limiter-port.ts';
import { integer, printable } from './structured.ts';
import type { HeaderOptions, HeaderTarget } from './to-headers.ts';
import type { Names } from './names.ts';
import { retryAfterSeconds } from './retry-after.ts';
import { viewFields, viewWarning } from './view-fields.ts';

/** The fields of a decision of which only what it says is known: the service's answer. */
export function writeViewHeaders(
  target: HeaderTarget,
  spelled: Names,
  decision: DecisionView,
  options: HeaderOptions,
): void {
  const { profile = 'default', jitter = 0, random = Math.random, nowMs = Date.now } = options;
  const { limit, remaining, resetAt } = decision;
  const isShown = limit !== null && remaining !== null && resetAt !== null;
  if (isShown && profile === 'default') {
    target.setHeader(spelled.limit, String(limit));
    target.setHeader(spelled.remaining, String(remaining));
    target.setHeader(spelled.reset, String(resetAt));
  }
  if (isShown && profile === 'trio') {
    target.setHeader(spelled.trioLimit, integer(limit));
    target.setHeader(spelled.trioRemaining, integer(remaining));
    target.setHeader(spelled.trioReset, integer(Math.max(0, Math.ceil(resetAt - nowMs() / 1000))));
  }
  const seconds = retryAfterSeconds(decision, jitter, random);
  if (seconds !== null) target.setHeader(spelled.retryAfter, String(seconds));
  if (!isShown) return;
  const { policy, state } = viewFields(decision, nowMs());
  if (profile !== 'trio' && policy !== '') {
    target.setHeader(spelled.policy, policy);
    target.setHeader(spelled.state, state);
  }
  const warning = viewWarning(decision);
  if (warning !== null) target.setHeader(spelled.warning, printable(warning));
}
