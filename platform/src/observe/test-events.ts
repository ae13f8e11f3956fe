// Checks and decisions for the tests of this folder, made by a real limiter.

import { createLimiter, type LimitInput } from 'sluice';
import { Decision, StoreFailure, whenStoreFails } from 'sluice/core';
import type { CheckEvent } from './check-event.ts';

type Mode = 'enforce' | 'warn' | 'shadow';

export const subject = 'user:ann@example.org';
const check = { resource: 'GET:/orders', subject };

export function windowOf(name: string, limit: number, mode: Mode = 'enforce'): LimitInput {
  return { algorithm: 'fixed_window', name, limit, window: '1 min', mode };
}

/** The last of so many decisions under these limits. */
export function decisionOf(limits: readonly LimitInput[], calls = 1): Decision {
  const limiter = createLimiter({ limits });
  const decisions = Array.from({ length: calls }, () => limiter.checkSync(check));
  return decisions.at(-1) as Decision;
}

export const allowed = () => decisionOf([windowOf('all', 10)]);
export const blocked = () => decisionOf([windowOf('all', 1)], 2);
export const wouldBlock = (mode: 'warn' | 'shadow') =>
  decisionOf([windowOf('all', 10), windowOf('tight', 1, mode)], 2);

export function withFacts(
  decision: Decision,
  facts: Partial<Pick<Decision, 'basis' | 'degradedReason'>>,
): Decision {
  return new Decision({ ...Decision.factsOf(decision), ...facts });
}

/** What the limits say of a store that does not answer. */
export function storeFailed(onStoreFailure: 'open' | 'closed'): Decision {
  const { check, question } = Decision.factsOf(
    decisionOf([{ ...windowOf('all', 10), onStoreFailure }]),
  );
  const { id, limits } = question;
  const failure = new StoreFailure('timeout');
  return whenStoreFails(failure, check, { id, limits });
}

export function eventOf(decision: Decision, more: Partial<CheckEvent> = {}): CheckEvent {
  return {
    route: '/v1/check',
    tenant: '01990000-0000-7000-8000-000000000001',
    tier: 'pro',
    epoch: { tenant: 3, shared: 1 },
    planId: '01990000-0000-7000-8000-000000000002',
    policy: 'search',
    ...check,
    decision,
    durationUs: 123.4,
    requestId: 'req-1',
    ...more,
  };
}
