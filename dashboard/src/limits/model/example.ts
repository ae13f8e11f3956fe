import { Decision, type Limit } from 'sluice/core';
import { toHeaders } from 'sluice/headers';
import { Counter } from './counter.ts';

export type Example = {
  readonly status: 200 | 429;
  readonly headers: Readonly<Record<string, string>>;
  readonly message: string;
};

/**
 * The answer to a call that every limit applies to: the first ever, or the one after the allowance of
 * `usedUp` is gone. Made by the library, as the service would.
 */
export function exampleAnswer(limits: readonly Limit[], usedUp: Limit | null): Example {
  const nowUs = Date.now() * 1000;
  const counters = limits.map((limit) => new Counter(limit));
  counters.find(({ limit }) => limit === usedUp)?.ask(usedUp?.size ?? 0, nowUs);
  const allowed = counters.every((one) => !one.limit.enforced || one.admits(nowUs));
  for (const counter of counters) {
    // A refused call is charged to none of those that enforce.
    const spared = !allowed && counter.limit.enforced && counter.admits(nowUs);
    if (!spared) counter.ask(1, nowUs);
  }
  const decision = new Decision({
    check: exampleCheck,
    question: {
      id: 'example',
      limits: limits.map((limit) => ({ limit, parts: limit.identifiedBy.map(() => ''), cost: 1 })),
    },
    answer: {
      kind: 'decided',
      allowed,
      nowUs,
      readings: counters.map((counter) => counter.reading(nowUs)),
      replayOf: null,
      ticket: null,
      reservation: null,
      degraded: null,
    },
    basis: 'exact',
    degradedReason: null,
  });
  return {
    status: allowed ? 200 : 429,
    headers: toHeaders(decision),
    message: decision.message,
  };
}

const exampleCheck = {
  resource: 'GET:/orders',
  subject: 'user:42',
  tenant: 'acme',
  key: null,
  cost: 1,
  costs: {},
  attributes: {},
  idempotencyKey: null,
  reserve: null,
} as const;
