import type { Check } from './check.ts';
import type { DecisionView } from './limiter-port.ts';

export type UnaskedPolicy = 'open' | 'closed';

let count = 0;

/** Nobody was asked: by the policy that was declared for that, and marked as such. */
export function unaskedDecision(
  check: Check,
  policy: UnaskedPolicy,
  degradedReason: string,
): DecisionView {
  const allowed = policy === 'open';
  count += 1;
  return Object.freeze({
    allowed,
    limit: null,
    remaining: null,
    resetAt: null,
    retryAfterMs: allowed ? 0 : 1000,
    message: allowed ? 'Allowed.' : 'The limit could not be checked; try again in a moment.',
    decisionId: `unasked-${Date.now().toString(36)}-${count.toString(36)}`,
    basis: allowed ? 'fail_open' : 'fail_closed',
    degradedReason,
    mode: null,
    delayMs: 0,
    replayed: false,
    cost: check.cost ?? 1,
    costs: Object.freeze({ ...check.costs }),
    blockedBy: allowed ? null : nobodyAsked,
    wouldBlock: nothing,
    adaptive: notAdaptive,
    ticket: null,
    reservation: null,
    limits: nothing,
  });
}

const nothing = Object.freeze([]);
const notAdaptive = Object.freeze({ factor: 1, reason: null });
const nobodyAsked = Object.freeze({
  limit: null,
  per: nothing,
  level: 'tenant',
  entity: null,
  reason: 'unavailable',
} as const);
