import { afterEach, expect, it, vi } from 'vitest';
import { createLimiter, fixedWindow, tokenBucket, type LimitInput } from 'sluice';
import { LonePath } from '../../../limiter/src/engines/memory/lone-path.ts';
import type { Facts, Outcome } from '../../../limiter/src/middleware/core/facts.ts';
import { Guard } from '../../../limiter/src/middleware/core/guard.ts';
import type { Maybe } from '../../../limiter/src/middleware/core/maybe.ts';
import type { RateLimitOptions } from '../../../limiter/src/middleware/core/options.ts';
import { Visit } from '../../../limiter/src/middleware/core/visit.ts';

type Native = { readonly user: string };

/** A request of nobody's framework, and what was set on its response. */
function requestOf(user: string) {
  const native = { user };
  const fields: Record<string, string> = {};
  const facts: Facts<Native> = {
    native,
    identity: native,
    method: 'GET',
    url: () => '/',
    body: () => undefined,
    header: () => undefined,
    route: () => '/',
    peer: () => undefined,
    response: {
      isSent: false,
      setHeader: (name, value) => void (fields[name] = value),
      capture: () => Promise.resolve(null),
      onEnd: () => {},
    },
  };
  return { facts, fields };
}

/** Asks for each user in turn, and tells all that a caller and a handler are told. */
function told(options: RateLimitOptions<Native>, users: readonly string[]) {
  const guard = new Guard<Native>({ by: { user: ({ user }) => user }, ...options });
  return users.map((user) => {
    const { facts, fields } = requestOf(user);
    const outcome = guard.run(facts);
    const decision: unknown = JSON.parse(JSON.stringify(Visit.of(facts.identity)?.last ?? {}));
    const { decisionId, ...said } = decision as Record<string, unknown>;
    return { outcome: withoutId(outcome), fields, said, hasId: typeof decisionId === 'string' };
  });
}

/** Of a refusal, for each has one of its own. */
function withoutId(outcome: Maybe<Outcome>): unknown {
  if (!('kind' in outcome) || outcome.kind !== 'refuse') return outcome;
  const { decision_id, ...said } = JSON.parse(String(outcome.body)) as Record<string, unknown>;
  return { ...outcome, body: said, hasId: typeof decision_id === 'string' };
}

afterEach(() => vi.restoreAllMocks());

const users = ['ann', 'bob', 'ann', 'ann', ' ann ', 'bob', 'ann', 'cid', 'ann'];
const cases: readonly (readonly [string, LimitInput])[] = [
  ['window', fixedWindow({ name: 'a', limit: 3, window: '1 min' })],
  ['bucket', tokenBucket({ name: 'a', capacity: 3, refillPerSecond: 0.5 })],
  ['warning', fixedWindow({ name: 'a', limit: 2, window: '1 min', mode: 'warn' })],
  ['shadow', fixedWindow({ name: 'a', limit: 2, window: '1 min', mode: 'shadow' })],
];

for (const [name, limit] of cases) {
  for (const headers of ['default', 'ietf', 'trio', 'none'] as const) {
    it(`tells the same of a ${name} both ways, ${headers}`, () => {
      const nowUs = Date.UTC(2026, 0, 15, 12) * 1000;
      const shortly = vi.spyOn(LonePath.prototype, 'decideFor');
      const short = told({ limits: [limit], headers, clock: () => nowUs }, users);
      expect(shortly.mock.results.filter(({ value }) => value !== undefined)).toHaveLength(6);
      shortly.mockReturnValue(undefined);
      expect(short).toEqual(told({ limits: [limit], headers, clock: () => nowUs }, users));
    });
  }
}

it('asks a limiter in whose place somebody put another', () => {
  const limiter = createLimiter({
    limits: [fixedWindow({ limit: 9, window: '1 min', per: ['subject'] })],
  });
  const check = vi.spyOn(limiter, 'checkSync');
  told({ limiter }, ['ann', 'ann', 'ann']);
  expect(check).toHaveBeenCalledTimes(3);
  void limiter.close();
});
