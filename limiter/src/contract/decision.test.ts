import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Check } from '../core/check.ts';
import type { Decision } from '../core/decision.ts';
import { StoreFailure } from '../core/errors.ts';
import { inAscii } from '../core/in-ascii.ts';
import type { LimitInput } from '../core/limit-input.ts';
import { createLimiter } from '../limiter/create-limiter.ts';
import type { SyncLimiter } from '../limiter/limiter.ts';
import { decisionToJson } from './decision-to-json.ts';
import { decisionToWire } from './decision-to-wire.ts';
import type { WireDecision } from './wire-decision.ts';

const startUs = Date.UTC(2026, 8, 15, 12) * 1000;
const clock = { nowUs: startUs };
const open: SyncLimiter[] = [];

function limiterOf(...limits: LimitInput[]): SyncLimiter {
  const limiter = createLimiter({ limits, clock: () => clock.nowUs });
  open.push(limiter);
  return limiter;
}

afterEach(async () => {
  clock.nowUs = startUs;
  await Promise.all(open.splice(0).map((limiter) => limiter.close()));
});

const check: Check = { subject: 'user:42', resource: 'POST:/search', tenant: 'acme' };
const search: LimitInput = {
  algorithm: 'sliding_window_counter',
  name: 'search-per-minute',
  limit: 100,
  window: '1 min',
  per: ['tenant'],
};

/** The example of the contract, in its order, with the figures of the test. */
const refusal: WireDecision = {
  allowed: false,
  limit: 100,
  remaining: 0,
  reset_at: startUs / 1e6 + 120,
  retry_after_ms: 59_351,
  message: 'search-per-minute allows 100 per 1 minute for acme; try again in 59.4 seconds.',
  decision_id: 'an id',
  basis: 'exact',
  degraded_reason: null,
  mode: 'enforce',
  delay_ms: 0,
  replayed: false,
  cost: 1,
  costs: { elements: 50 },
  blocked_by: {
    limit: 'search-per-minute',
    per: ['tenant'],
    level: 'tenant',
    entity: 'acme',
    reason: 'exceeded',
  },
  would_block: [],
  adaptive: { factor: 1, reason: null },
  ticket: null,
  reservation: null,
  limits: [
    {
      name: 'search-per-minute',
      algorithm: 'sliding_window_counter',
      unit: 'requests',
      cost: 1,
      limit: 100,
      base_limit: 100,
      used: 100,
      remaining: 0,
      override_id: null,
      reset_at: startUs / 1e6 + 120,
      retry_after_ms: 59_351,
      allowed: false,
      mode: 'enforce',
    },
  ],
};

function refused(): Decision {
  const limiter = limiterOf(search);
  limiter.checkSync({ ...check, cost: 100 });
  clock.nowUs += 1_249_001;
  return limiter.checkSync({ ...check, costs: { elements: 50 } });
}

describe('a decision on the wire', () => {
  it('has the fields of the contract, in its order, and waits whole milliseconds', () => {
    const decision = refused();
    const wire = decisionToWire(decision);
    expect(decision.retryAfterMs).toBe(59_350.999);
    expect(wire.decision_id).toBe(decision.decisionId);
    // As text: the order of fields counts too.
    const expected = JSON.stringify({ ...refusal, decision_id: decision.decisionId });
    expect(JSON.stringify(wire)).toBe(expected);
    expect(decisionToJson(decision)).toBe(expected);
  });

  it('has every field, with null for what there is not', async () => {
    const engine = { decide: () => Promise.reject(new StoreFailure('timeout')) };
    const failing = createLimiter({ engine: engine as never, limits: [search] });
    for (const decision of [limiterOf().checkSync(check), await failing.check(check), refused()]) {
      const wire = decisionToWire(decision);
      expect(Object.keys(wire)).toEqual(Object.keys(refusal));
      expect(Object.values(wire)).not.toContain(undefined);
      expect(JSON.parse(decisionToJson(decision))).toEqual(wire);
    }
  });

  it('has a ticket and a reservation in snake_case', () => {
    const slots: LimitInput = { algorithm: 'concurrency', maxConcurrent: 2, staleAfter: '1 min' };
    const decision = limiterOf(search, slots).checkSync({
      ...check,
      reserve: { ttlMs: 30_000 },
    });
    const wire = decisionToWire(decision);
    expect(wire.ticket).toBe(decision.ticket);
    expect(wire.ticket).not.toBeNull();
    expect(wire.reservation).toEqual({
      id: decision.reservation?.id,
      expires_at: startUs / 1e6 + 30,
    });
    expect(decisionToJson(decision)).toBe(JSON.stringify(wire));
  });
});

const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,10}$/);
const identity = fc
  .oneof(fc.string({ unit: 'binary', minLength: 1 }), fc.string({ minLength: 1 }))
  .filter((text) => text.isWellFormed());
const limits = fc
  .array(
    fc.record({
      algorithm: fc.constantFrom('fixed_window', 'sliding_window_log'),
      limit: fc.integer({ min: 1, max: 3 }),
      window: fc.integer({ min: 1, max: 100_000 }),
      per: fc.constantFrom(['tenant'], ['subject'], ['attributes.a'], ['resource', 'subject']),
      unit: fc.constantFrom('requests', 'tokens'),
      mode: fc.constantFrom('enforce', 'warn', 'shadow'),
    }),
    { maxLength: 5 },
  )
  .map((list) => list.map((one, at) => ({ ...one, name: `l${at}` })));

const onlyAscii = /^[\x20-\x7e]*$/;

it('JSON in ASCII says the same as before, in as many bytes as it has letters', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const json = JSON.stringify(value);
      const text = inAscii(json);
      expect(JSON.stringify(JSON.parse(text))).toBe(json);
      expect(text).toMatch(onlyAscii);
      expect(Buffer.byteLength(text)).toBe(text.length);
    }),
    { examples: [['a\u007f\u0080é\u00ff ж🪲\u2028\ud800']] },
  );
});

it('the text written by hand is what JSON.stringify makes, in ASCII, whatever subjects are called', () => {
  fc.assert(
    fc.property(
      limits,
      fc.record({ subject: identity, resource: identity, tenant: identity }),
      fc.dictionary(fc.constant('a'), identity),
      fc.dictionary(
        name.filter((unit) => unit !== 'requests'),
        fc.integer({ min: 0, max: 9 }),
        { maxKeys: 3 },
      ),
      (inputs, who, attributes, costs) => {
        const limiter = limiterOf(...inputs);
        for (let call = 0; call < 3; call += 1) {
          clock.nowUs += 1537;
          const decision = limiter.checkSync({ ...who, attributes, costs });
          const text = decisionToJson(decision);
          expect(text).toBe(inAscii(JSON.stringify(decisionToWire(decision))));
          expect(text).toMatch(onlyAscii);
        }
      },
    ),
    { numRuns: 200 },
  );
});
