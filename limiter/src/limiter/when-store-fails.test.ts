import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DecideResult, Engine } from '../core/engine.ts';
import { StoreFailure } from '../core/errors.ts';
import type { LimitInput } from '../core/limit-input.ts';
import { MemoryEngine } from '../engines/memory/index.ts';
import { createLimiter } from './create-limiter.ts';
import { fixedWindow } from './limits.ts';

const check = { subject: 'ann', resource: 'GET:/orders' };
const opens = fixedWindow({ name: 'opens', limit: 5, window: '1 s' });
const closes = fixedWindow({ name: 'closes', limit: 5, window: '1 s', onStoreFailure: 'closed' });

/** An engine whose answers a test makes up. */
class BrokenEngine extends MemoryEngine {
  readonly #answer: () => Promise<DecideResult>;

  constructor(answer: () => Promise<DecideResult>) {
    super();
    this.#answer = answer;
    void this.close();
  }

  override decide(): Promise<DecideResult> {
    return this.#answer();
  }
}

function limiterOn(answer: () => Promise<DecideResult>, ...limits: LimitInput[]) {
  const engine: Engine = new BrokenEngine(answer);
  return createLimiter({ engine, limits, deadlineMs: 20 });
}

const fails = () => Promise.reject(new StoreFailure('unreachable'));

describe('a failed store', () => {
  it('lets calls through by default, and the decision says so', async () => {
    const decision = await limiterOn(fails, opens).check(check);
    expect(decision).toMatchObject({
      allowed: true,
      basis: 'fail_open',
      degradedReason: 'unreachable',
      limit: null,
      remaining: null,
      retryAfterMs: 0,
      blockedBy: null,
    });
  });

  it('refuses where one limit says so, as unavailable and not as exceeded', async () => {
    const decision = await limiterOn(fails, opens, closes).check(check);
    expect(decision).toMatchObject({
      allowed: false,
      basis: 'fail_closed',
      degradedReason: 'unreachable',
      retryAfterMs: 1000,
      limits: [],
    });
    expect(decision.blockedBy).toMatchObject({ limit: 'closes', reason: 'unavailable' });
    expect(decision.message).toBe('The limit could not be checked; try again in a moment.');
    expect(JSON.parse(JSON.stringify(decision))).toMatchObject({ basis: 'fail_closed' });
  });

  it('is not refused by a shadow limit, whatever that says', async () => {
    const shadow: LimitInput = { ...closes, mode: 'shadow' };
    expect((await limiterOn(fails, shadow).check(check)).allowed).toBe(true);
  });

  it.each<[string, DecideResult]>([
    ['no answer', { kind: 'answered', answers: [] }],
    ['unknown', { kind: 'unknown', nowUs: 1 }],
  ])('is also one that answers with %s', async (reason, result) => {
    const decision = await limiterOn(async () => result, opens).check(check);
    expect(decision).toMatchObject({ basis: 'fail_open', degradedReason: reason });
  });

  it('is not a mistake of ours: that is thrown', async () => {
    const limiter = limiterOn(() => Promise.reject(new TypeError('a bug')), opens);
    await expect(limiter.check(check)).rejects.toThrow('a bug');
  });

  it('is not consulted for a check that is wrong', async () => {
    const asked = vi.fn<() => Promise<never>>(fails);
    await expect(limiterOn(asked, opens).check({ ...check, cost: -1 })).rejects.toThrow('cost: ');
    expect(asked).not.toHaveBeenCalled();
  });

  it('has nothing to refund', async () => {
    const limiter = limiterOn(fails, opens);
    expect(await limiter.refund(await limiter.check(check))).toBe(false);
  });
});

describe('a store that never answers', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it('is answered for within the deadline', async () => {
    const limiter = limiterOn(() => new Promise(() => {}), opens);
    const answered = vi.fn<(basis: string) => void>();
    const checked = limiter.check(check).then(({ basis }) => answered(basis));
    await vi.advanceTimersByTimeAsync(19);
    expect(answered).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2);
    await checked;
    expect(answered).toHaveBeenCalledWith('fail_open');
  });

  it('does not hold up the next call', async () => {
    let calls = 0;
    const limiter = limiterOn(() => {
      calls += 1;
      return calls === 1 ? new Promise(() => {}) : fails();
    }, opens);
    const first = limiter.check(check);
    expect((await limiter.check(check)).degradedReason).toBe('unreachable');
    await vi.advanceTimersByTimeAsync(21);
    expect((await first).degradedReason).toBe('timeout');
  });
});
