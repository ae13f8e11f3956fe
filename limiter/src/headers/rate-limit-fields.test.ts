import { parseList } from 'structured-headers';
import { afterEach, describe, expect, it } from 'vitest';
import type { Check } from '../core/check.ts';
import { Decision, type DecisionFacts } from '../core/decision.ts';
import type { LimitInput } from '../core/limit-input.ts';
import { createLimiter } from '../limiter/create-limiter.ts';
import type { Limiter, SyncLimiter } from '../limiter/limiter.ts';
import { toHeaders } from './to-headers.ts';

const startUs = Date.UTC(2026, 8, 15, 12) * 1000;
const clock = { nowUs: startUs };
const open: Limiter[] = [];

function limiterOf(...limits: LimitInput[]): SyncLimiter {
  const limiter = createLimiter({ limits, clock: () => clock.nowUs });
  open.push(limiter);
  return limiter;
}

afterEach(async () => {
  clock.nowUs = startUs;
  await Promise.all(open.splice(0).map((limiter) => limiter.close()));
});

const check: Check = { subject: 'ann', resource: 'GET:/orders' };

function fieldsOf(decision: Decision): { policy: string; state: string } {
  const headers = toHeaders(decision, { profile: 'ietf' });
  return { policy: headers['RateLimit-Policy'] ?? '', state: headers['RateLimit'] ?? '' };
}

function namesOf(field: string): unknown[] {
  return parseList(field).map(([name]) => name);
}

describe('a token bucket', () => {
  const bucket: LimitInput = {
    algorithm: 'token_bucket',
    name: 'burst',
    capacity: 40,
    refillPerSecond: 4,
  };

  it('has the time it takes to fill as window, and spreads what remains at its rate', () => {
    expect(fieldsOf(limiterOf(bucket).checkSync({ ...check, cost: 28 }))).toEqual({
      policy: '"burst";q=40;w=10',
      state: '"burst";r=12;t=3',
    });
  });

  it('says when one unit exists where none is left', () => {
    const limiter = limiterOf({ ...bucket, refillPerSecond: 0.3 });
    limiter.checkSync({ ...check, cost: 40 });
    expect(fieldsOf(limiter.checkSync({ ...check, cost: 0 })).state).toBe('"burst";r=0;t=4');
    const refused = limiter.checkSync(check);
    expect(fieldsOf(refused)).toEqual({ policy: '"burst";q=40;w=134', state: '"burst";r=0;t=4' });
    expect(toHeaders(refused)['Retry-After']).toBe('4');
  });
});

describe('a fixed window', () => {
  it('runs to its end, in whole seconds rounded up', () => {
    const limiter = limiterOf({
      algorithm: 'fixed_window',
      name: 'w',
      limit: 5,
      window: '1500 ms',
    });
    expect(fieldsOf(limiter.checkSync(check))).toEqual({
      policy: '"w";q=5;w=2',
      state: '"w";r=4;t=2',
    });
    clock.nowUs += 600_000;
    expect(fieldsOf(limiter.checkSync(check)).state).toBe('"w";r=3;t=1');
  });

  it('shorter than a second has a window of one', () => {
    const limit: LimitInput = { algorithm: 'fixed_window', name: 'w', limit: 5, window: '5 ms' };
    expect(fieldsOf(limiterOf(limit).checkSync(check))).toEqual({
      policy: '"w";q=5;w=1',
      state: '"w";r=4;t=1',
    });
  });
});

describe('a sliding log', () => {
  const log: LimitInput = {
    algorithm: 'sliding_window_log',
    name: 'log',
    limit: 3,
    window: '10 s',
  };

  it('vouches for what remains over its whole window', () => {
    expect(fieldsOf(limiterOf(log).checkSync({ ...check, cost: 0 }))).toEqual({
      policy: '"log";q=3;w=10',
      state: '"log";r=3;t=10',
    });
    expect(fieldsOf(limiterOf(log).checkSync(check)).state).toBe('"log";r=2;t=10');
  });

  it('says when enough has left it where it refuses', () => {
    const limiter = limiterOf(log);
    limiter.checkSync(check);
    clock.nowUs += 4_000_000;
    limiter.checkSync({ ...check, cost: 2 });
    const refused = limiter.checkSync(check);
    expect(fieldsOf(refused).state).toBe('"log";r=0;t=6');
    expect(toHeaders(refused)['Retry-After']).toBe('6');
  });
});

describe('a sliding counter', () => {
  const counter: LimitInput = {
    algorithm: 'sliding_window_counter',
    name: 'counter',
    limit: 10,
    window: '1 min',
  };

  it('runs to the end of its current window', () => {
    const limiter = limiterOf(counter);
    clock.nowUs += 15_000_000;
    expect(fieldsOf(limiter.checkSync({ ...check, cost: 4 }))).toEqual({
      policy: '"counter";q=10;w=60',
      state: '"counter";r=6;t=45',
    });
  });

  it('never outlasts the wait it asks for', () => {
    const limiter = limiterOf(counter);
    limiter.checkSync({ ...check, cost: 10 });
    clock.nowUs += 60_000_000;
    const refused = limiter.checkSync(check);
    expect(toHeaders(refused)['Retry-After']).toBe('6');
    expect(fieldsOf(refused).state).toBe('"counter";r=0;t=6');
  });
});

describe('a concurrency limit', () => {
  it('counts open calls, and has no window', () => {
    const limit: LimitInput = {
      algorithm: 'concurrency',
      name: 'open',
      maxConcurrent: 3,
      staleAfter: '1 min',
      unit: 'jobs',
    };
    const decision = limiterOf(limit).checkSync({ ...check, costs: { jobs: 1 } });
    expect(fieldsOf(decision)).toEqual({
      policy: '"open";q=3;qu="concurrent-requests"',
      state: '"open";r=2',
    });
  });
});

describe('a quota', () => {
  const month: LimitInput = {
    algorithm: 'quota',
    name: 'month',
    limit: 250_000,
    period: 'month',
    unit: 'tokens',
  };

  it('has the running period as window, and runs to its end', () => {
    const decision = limiterOf(month).checkSync({ ...check, costs: { tokens: 69_656 } });
    expect(fieldsOf(decision)).toEqual({
      policy: '"month";q=250000;qu="tokens";w=2592000',
      state: '"month";r=180344;t=1339200',
    });
  });

  it('has another window in a longer month', () => {
    const limiter = limiterOf(month);
    limiter.checkSync(check);
    clock.nowUs = Date.UTC(2026, 9, 31, 23, 59, 59) * 1000;
    expect(fieldsOf(limiter.checkSync(check))).toEqual({
      policy: '"month";q=250000;qu="tokens";w=2678400',
      state: '"month";r=250000;t=1',
    });
  });
});

describe('several limits', () => {
  const window = (name: string, limit: number, more: Partial<LimitInput> = {}): LimitInput =>
    ({ algorithm: 'fixed_window', name, limit, window: '1 min', ...more }) as LimitInput;

  it('stand closest to exhaustion first, ties by name', () => {
    const limits = [window('roomy', 100), window('b', 4), window('a', 4), window('tight', 2)];
    const { policy, state } = fieldsOf(limiterOf(...limits).checkSync(check));
    expect(namesOf(state)).toEqual(['tight', 'a', 'b', 'roomy']);
    expect(namesOf(policy)).toEqual(namesOf(state));
  });

  it('are four at the most: those with the least left', () => {
    const sizes = [50, 3, 90, 2, 70, 5, 60];
    const limits = sizes.map((size) => window(`of-${size}`, size));
    const { policy, state } = fieldsOf(limiterOf(...limits).checkSync(check));
    expect(namesOf(state)).toEqual(['of-2', 'of-3', 'of-5', 'of-50']);
    expect(namesOf(policy)).toEqual(namesOf(state));
  });

  it('are the enforced ones only', () => {
    const limits = [
      window('shadow', 1, { mode: 'shadow' }),
      window('warn', 1, { mode: 'warn' }),
      window('all', 9),
    ];
    const limiter = limiterOf(...limits);
    limiter.checkSync(check);
    const { policy, state } = fieldsOf(limiter.checkSync(check));
    expect(namesOf(policy)).toEqual(['all']);
    expect(namesOf(state)).toEqual(['all']);
    const observed = toHeaders(limiterOf(...limits.slice(0, 2)).checkSync(check));
    expect(observed).not.toHaveProperty('RateLimit');
    expect(observed).not.toHaveProperty('RateLimit-Policy');
  });
});

describe('what a field can hold', () => {
  it('is fifteen digits', () => {
    const limit: LimitInput = {
      algorithm: 'fixed_window',
      name: 'huge',
      limit: 2 ** 50,
      window: '1 min',
    };
    const decision = limiterOf(limit).checkSync(check);
    expect(fieldsOf(decision)).toEqual({
      policy: '"huge";q=999999999999999;w=60',
      state: '"huge";r=999999999999999;t=60',
    });
    expect(toHeaders(decision)['X-RateLimit-Limit']).toBe(String(2 ** 50));
  });

  it('is printable ASCII, even for a name that was never parsed', () => {
    const decision = limiterOf({
      algorithm: 'fixed_window',
      limit: 1,
      window: '1 min',
      mode: 'enforce',
    }).checkSync(check);
    const named = renamed(Decision.factsOf(decision), 'a"b\\c\r\nSet-Cookie: é\u0000');
    const { policy, state } = fieldsOf(named);
    expect(namesOf(policy)).toEqual(['a"b\\c??Set-Cookie: ??']);
    expect(namesOf(state)).toEqual(namesOf(policy));
  });
});

function renamed(facts: DecisionFacts, name: string): Decision {
  const limits = facts.question.limits.map((bound) => ({
    ...bound,
    limit: { ...bound.limit, name },
  }));
  return new Decision({ ...facts, question: { ...facts.question, limits } });
}
