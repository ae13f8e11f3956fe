import type { DecisionView } from '../core/limiter-port.ts';
import { integer, printable } from './structured.ts';
import type { HeaderOptions } from './to-headers.ts';
import type { Names } from './names.ts';
import { retryAfterSeconds } from './retry-after.ts';
import { viewFields, viewWarning } from './view-fields.ts';

/** The fields of a decision of which only what it says is known: the service's answer. */
export function fillViewHeaders(
  headers: Record<string, string>,
  spelled: Names,
  decision: DecisionView,
  options: HeaderOptions,
): void {
  const { profile = 'default', jitter = 0, random = Math.random, nowMs = Date.now } = options;
  const { limit, remaining, resetAt } = decision;
  const isShown = limit !== null && remaining !== null && resetAt !== null;
  if (isShown && profile === 'default') {
    headers[spelled.limit] = String(limit);
    headers[spelled.remaining] = String(remaining);
    headers[spelled.reset] = String(resetAt);
  }
  if (isShown && profile === 'trio') {
    headers[spelled.trioLimit] = integer(limit);
    headers[spelled.trioRemaining] = integer(remaining);
    headers[spelled.trioReset] = integer(Math.max(0, Math.ceil(resetAt - nowMs() / 1000)));
  }
  const seconds = retryAfterSeconds(decision, jitter, random);
  if (seconds !== null) headers[spelled.retryAfter] = String(seconds);
  if (!isShown) return;
  const { policy, state } = viewFields(decision, nowMs());
  if (profile !== 'trio' && policy !== '') {
    headers[spelled.policy] = policy;
    headers[spelled.state] = state;
  }
  const warning = viewWarning(decision);
  if (warning !== null) headers[spelled.warning] = printable(warning);
}
