import { expect, it } from 'vitest';
import type { ParsedCheck } from './check.ts';
import { refusedUnasked } from './refused-unasked.ts';

const check: ParsedCheck = {
  resource: 'GET:/orders',
  subject: 'ann',
  tenant: 'acme',
  key: null,
  cost: 2,
  costs: {},
  attributes: {},
  idempotencyKey: null,
  reserve: null,
};

it('a refusal that nobody was asked about says so, for whom and for how long', () => {
  const decision = refusedUnasked('overload', check, { id: 'an id', limits: [] });
  expect(decision.toJSON()).toMatchObject({
    allowed: false,
    basis: 'fail_closed',
    degradedReason: 'overload',
    retryAfterMs: 1000,
    decisionId: 'an id',
    cost: 2,
    limits: [],
    message: 'The limit could not be checked; try again in a moment.',
    blockedBy: { limit: null, per: [], level: 'tenant', entity: 'acme', reason: 'unavailable' },
  });
});
