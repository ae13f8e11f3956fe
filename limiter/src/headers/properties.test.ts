import fc from 'fast-check';
import { parseItem, parseList, type BareItem } from 'structured-headers';
import { expect, it } from 'vitest';
import type { Decision } from '../core/decision.ts';
import type { LimitInput } from '../core/limit-input.ts';
import { createLimiter } from '../limiter/create-limiter.ts';
import { headerProfiles, toHeaders, type HeaderProfile } from './to-headers.ts';

const startUs = Date.UTC(2026, 1, 27, 23, 59) * 1000;

const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/);
const size = fc.integer({ min: 1, max: 30 });
const durationMs = fc.integer({ min: 1, max: 100_000 });
const common = {
  unit: fc.constantFrom('requests', 'tokens'),
  mode: fc.constantFrom('enforce', 'enforce', 'warn', 'shadow'),
  blockFor: fc.option(durationMs, { nil: undefined }),
};

const numbers = fc.oneof(
  fc.record({
    algorithm: fc.constant('token_bucket'),
    capacity: size,
    refillPerSecond: fc.integer({ min: 1, max: 5000 }).map((thousandths) => thousandths / 1000),
  }),
  fc.record({
    algorithm: fc.constantFrom('fixed_window', 'sliding_window_log', 'sliding_window_counter'),
    limit: size,
    window: durationMs,
  }),
  fc.record({
    algorithm: fc.constant('concurrency'),
    maxConcurrent: size,
    staleAfter: durationMs,
  }),
  fc.record({
    algorithm: fc.constant('quota'),
    limit: size,
    period: fc.constantFrom('hour', 'day', 'week', 'month', 'year'),
  }),
);

const limits = fc
  .uniqueArray(name, { maxLength: 7 })
  .chain((names) =>
    fc.tuple(
      ...names.map((one) =>
        fc
          .tuple(numbers, fc.record(common))
          .map(([own, options]) => ({ name: one, ...own, ...options }) as LimitInput),
      ),
    ),
  );

const steps = fc.array(
  fc.record({
    cost: fc.integer({ min: 0, max: 12 }),
    tokens: fc.integer({ min: 0, max: 40 }),
    restUs: fc.integer({ min: 0, max: 30_000_000 }),
  }),
  { minLength: 1, maxLength: 20 },
);

/** Every decision of the schedule, in process. */
function decisionsOf(inputs: readonly LimitInput[], schedule: readonly Step[]): Decision[] {
  let nowUs = startUs;
  const limiter = createLimiter({ limits: inputs, clock: () => nowUs });
  const decisions = schedule.map(({ cost, tokens, restUs }) => {
    nowUs += restUs;
    return limiter.checkSync({ resource: 'r', subject: 's', cost, costs: { tokens } });
  });
  void limiter.close();
  return decisions;
}

type Step = { readonly cost: number; readonly tokens: number; readonly restUs: number };
type Headers = Readonly<Record<string, string | undefined>>;

function requirePlainText(headers: Headers): void {
  for (const value of Object.values(headers)) expect(value).toMatch(/^[\x20-\x7e]+$/);
}

function requireRetryAfter(headers: Headers, { allowed, retryAfterMs }: Decision): void {
  const seconds = retryAfterMs === null ? undefined : String(Math.ceil(retryAfterMs / 1000));
  expect(headers['Retry-After']).toBe(seconds);
  if (!allowed) expect(seconds).not.toBe('0');
}

function requireTrio(headers: Headers, prefix: string, decision: Decision): void {
  const count = decision.limit === null ? 0 : 3;
  const values = ['Limit', 'Remaining', 'Reset'].flatMap((field) => {
    const value = headers[`${prefix}-${field}`];
    return value === undefined ? [] : [parseItem(value)[0]];
  });
  expect(values.filter((value) => Number.isInteger(value))).toHaveLength(count);
}

/** What the draft demands of both lists. */
function requireDraft(headers: Headers, { limits: all }: Decision): void {
  const enforced = all.filter(({ mode }) => mode === 'enforce').map((limit) => limit.name);
  if (enforced.length === 0) {
    expect(headers).not.toHaveProperty('RateLimit');
    expect(headers).not.toHaveProperty('RateLimit-Policy');
    return;
  }
  const policies = parseList(headers['RateLimit-Policy'] ?? '');
  const states = parseList(headers['RateLimit'] ?? '');
  expect(policies).toHaveLength(Math.min(4, enforced.length));
  expect(states.map(([item]) => item)).toEqual(policies.map(([item]) => item));
  for (const [item, parameters] of policies) {
    expect(enforced).toContain(item);
    requireIntegers(parameters, { q: 0, w: 1 });
    expect(parameters.has('q')).toBe(true);
    if (parameters.has('qu')) expect(parameters.get('qu')).toBeTypeOf('string');
  }
  for (const [, parameters] of states) {
    requireIntegers(parameters, { r: 0, t: 1 });
    expect(parameters.has('r')).toBe(true);
  }
}

function requireIntegers(parameters: Map<string, BareItem>, least: Record<string, number>): void {
  for (const [key, min] of Object.entries(least)) {
    if (!parameters.has(key)) continue;
    const value = parameters.get(key);
    expect(Number.isInteger(value)).toBe(true);
    expect(value).toBeGreaterThanOrEqual(min);
  }
}

type Requirement = (headers: Headers, decision: Decision) => void;

const requireFieldsOf: Readonly<Record<HeaderProfile, Requirement>> = {
  default(headers, decision) {
    requireRetryAfter(headers, decision);
    requireDraft(headers, decision);
    requireTrio(headers, 'X-RateLimit', decision);
  },
  ietf(headers, decision) {
    requireRetryAfter(headers, decision);
    requireDraft(headers, decision);
  },
  trio(headers, decision) {
    requireRetryAfter(headers, decision);
    requireTrio(headers, 'RateLimit', decision);
  },
  none: (headers) => expect(headers).toEqual({}),
};

it('every value is plain text that parses, and says how long to wait, whatever the limits', () => {
  fc.assert(
    fc.property(limits, steps, (inputs, schedule) => {
      for (const decision of decisionsOf(inputs, schedule)) {
        for (const profile of headerProfiles) {
          const headers: Headers = toHeaders(decision, { profile });
          requirePlainText(headers);
          requireFieldsOf[profile](headers, decision);
        }
      }
    }),
    { numRuns: 150 },
  );
});
