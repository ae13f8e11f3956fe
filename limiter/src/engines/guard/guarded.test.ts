import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DecideCall, DecideResult, Tell, TenantRef } from '../../core/engine.ts';
import { CapacityFull, InvalidInput, StoreFailure } from '../../core/errors.ts';
import type { Limit } from '../../core/limit.ts';
import { parseLimit } from '../../core/parse-limit.ts';
import { MemoryEngine } from '../memory/index.ts';
import { Guarded, type GuardOptions } from './guarded.ts';

const answered: DecideResult = { kind: 'answered', answers: [] };
type Call = { readonly resolve: () => void; readonly reject: (error: Error) => void };

/** A store whose answers the test gives. */
class SlowEngine extends MemoryEngine {
  readonly calls: Call[] = [];

  override decide(): Promise<DecideResult> {
    return new Promise((resolve, reject) => {
      this.calls.push({ resolve: () => resolve(answered), reject });
    });
  }
}

let engine: SlowEngine;

beforeEach(() => {
  vi.useFakeTimers();
  engine = new SlowEngine();
});

afterEach(async () => {
  vi.useRealTimers();
  await engine.close();
});

function guard(options: Partial<GuardOptions> = {}): Guarded {
  return new Guarded(engine, { deadlineMs: 50, ...options });
}

const callOf = (id: string): DecideCall => ({ tenant: { id }, questions: [] });

/** What becomes of it, as a word. */
function outcomeOf(work: Promise<unknown>): { said: string } {
  const outcome = { said: 'waits' };
  work.then(
    () => (outcome.said = 'answered'),
    (error: Error) => (outcome.said = error instanceof StoreFailure ? error.reason : 'thrown'),
  );
  return outcome;
}

const ask = (guarded: Guarded, tenant = 'a') => outcomeOf(guarded.decide(callOf(tenant)));
const settle = () => vi.advanceTimersByTimeAsync(0);

describe('in flight', () => {
  it('is no more than may be, and the next goes when one is answered', async () => {
    const guarded = guard({ tenantInFlightMax: 2 });
    const asked = [ask(guarded), ask(guarded), ask(guarded)];
    expect(engine.calls).toHaveLength(2);
    engine.calls[0]?.resolve();
    await settle();
    expect(engine.calls).toHaveLength(3);
    expect(asked.map(({ said }) => said)).toEqual(['answered', 'waits', 'waits']);
  });

  it('is refused, not let through, when others are answered and there is no room in time', async () => {
    const guarded = guard({ tenantInFlightMax: 1 });
    ask(guarded, 'flood');
    const waiting = ask(guarded, 'flood');
    await vi.advanceTimersByTimeAsync(30);
    const other = ask(guarded, 'other');
    engine.calls[1]?.resolve();
    await vi.advanceTimersByTimeAsync(21);
    expect(other.said).toBe('answered');
    expect(waiting.said).toBe('in_flight_full');
    expect(engine.calls).toHaveLength(2);
  });

  it('is a failed store when it falls silent while a call waits', async () => {
    const guarded = guard({ tenantInFlightMax: 1 });
    ask(guarded, 'flood');
    const waiting = ask(guarded, 'flood');
    ask(guarded, 'other');
    await vi.advanceTimersByTimeAsync(10);
    engine.calls[1]?.resolve();
    await vi.advanceTimersByTimeAsync(41);
    expect(waiting.said).toBe('timeout');
  });

  it('is a failed store when nobody is answered', async () => {
    const guarded = guard({ tenantInFlightMax: 1 });
    const [sent, waiting] = [ask(guarded), ask(guarded)];
    await vi.advanceTimersByTimeAsync(51);
    expect([sent.said, waiting.said]).toEqual(['timeout', 'timeout']);
  });

  it('counts what is late until it ends, so that no heap of it grows', async () => {
    const guarded = guard({ inFlightMax: 1 });
    ask(guarded);
    await vi.advanceTimersByTimeAsync(51);
    expect(guarded.inFlight).toBe(1);
    const next = ask(guarded);
    expect(engine.calls).toHaveLength(1);
    engine.calls[0]?.reject(new StoreFailure('unreachable'));
    await settle();
    engine.calls[1]?.resolve();
    await settle();
    expect(next.said).toBe('answered');
    expect(guarded.inFlight).toBe(0);
  });

  it('turns a thousand and more of one tenant away at once', async () => {
    const guarded = guard({ tenantInFlightMax: 1 });
    const asked = Array.from({ length: 1100 }, () => ask(guarded));
    await settle();
    expect(asked.filter(({ said }) => said === 'in_flight_full')).toHaveLength(75);
    expect(ask(guarded, 'other').said).toBe('waits');
    expect(engine.calls).toHaveLength(2);
  });
});

describe('the breaker', () => {
  const fiveTimeouts = async (guarded: Guarded, tenant = 'a') => {
    for (let call = 0; call < 5; call += 1) ask(guarded, tenant);
    await vi.advanceTimersByTimeAsync(51);
  };

  it('answers at once for a store that does not', async () => {
    const states: string[] = [];
    const guarded = guard({ onBreaker: (state) => states.push(state) });
    await fiveTimeouts(guarded);
    const asked = ask(guarded);
    await settle();
    expect(asked.said).toBe('circuit_open');
    expect(states).toEqual(['open']);
    const settled = outcomeOf(guarded.settle({ id: 'a' }, { reservationId: 'r', costs: {} }));
    await settle();
    expect(settled.said).toBe('circuit_open');
  });

  it('lets one call try, whatever else is stuck, and then the others', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.05);
    const guarded = guard({ inFlightMax: 5 });
    await fiveTimeouts(guarded);
    await vi.advanceTimersByTimeAsync(20);
    const asked = [ask(guarded), ask(guarded)];
    await settle();
    expect(asked.map(({ said }) => said)).toEqual(['waits', 'circuit_open']);
    for (const { resolve } of engine.calls) resolve();
    await settle();
    expect(asked[0]?.said).toBe('answered');
    expect(ask(guarded).said).toBe('waits');
    vi.restoreAllMocks();
  });

  it('is one for each part of the store', async () => {
    const guarded = guard({ shardOf: ({ id }) => id });
    await fiveTimeouts(guarded, 'a');
    const [dead, alive] = [ask(guarded, 'a'), ask(guarded, 'b')];
    engine.calls.at(-1)?.resolve();
    await settle();
    expect([dead.said, alive.said]).toEqual(['circuit_open', 'answered']);
  });

  it('is not left open by a try that is thrown at once', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.05);
    const guarded = guard();
    await fiveTimeouts(guarded);
    await vi.advanceTimersByTimeAsync(20);
    vi.spyOn(engine, 'settle').mockImplementation(() => {
      throw new TypeError('a bug');
    });
    const settled = outcomeOf(guarded.settle({ id: 'a' }, { reservationId: 'r', costs: {} }));
    await settle();
    expect(settled.said).toBe('thrown');
    expect(ask(guarded).said).toBe('waits');
    expect(engine.calls).toHaveLength(6);
    vi.restoreAllMocks();
  });

  it('has nothing against a caller that asks too much, or wrongly', async () => {
    const guarded = guard({ tenantInFlightMax: 1 });
    for (let call = 0; call < 100; call += 1) {
      const asked = ask(guarded);
      engine.calls.at(-1)?.reject(new InvalidInput('questions', 'are too many'));
      await settle();
      expect(asked.said).toBe('thrown');
    }
    for (let call = 0; call < 2000; call += 1) ask(guarded, 'flood');
    await settle();
    expect(ask(guarded, 'other').said).toBe('waits');
  });
});

it.each([
  { deadlineMs: 50, until: 1000 },
  { deadlineMs: 5000, until: 5000 },
])('with $deadlineMs ms for a decision, waits $until ms for all else', async (given) => {
  vi.spyOn(engine, 'settle').mockReturnValue(new Promise(() => {}));
  const settlement = { reservationId: 'r', costs: {} };
  const settled = outcomeOf(
    guard({ deadlineMs: given.deadlineMs }).settle({ id: 'a' }, settlement),
  );
  await vi.advanceTimersByTimeAsync(given.until - 1);
  expect(settled.said).toBe('waits');
  await vi.advanceTimersByTimeAsync(60);
  expect(settled.said).toBe('timeout');
});

it('knows a full store from one that failed', () => {
  expect(new CapacityFull()).toBeInstanceOf(StoreFailure);
  expect(new CapacityFull().reason).toBe('in_flight_full');
});

/** A store that is asked by several at once; the test tells each. */
class SharedEngine extends SlowEngine {
  readonly companies: { readonly tenants: readonly string[]; readonly tell: Tell }[] = [];
  readonly abandoned: string[] = [];
  ends: (() => void)[] = [];

  decideAll(calls: readonly DecideCall[], tell: Tell): Promise<void> {
    this.companies.push({ tenants: calls.map(({ tenant }) => tenant.id), tell });
    return new Promise((resolve) => this.ends.push(resolve));
  }

  override async abandon({ id }: TenantRef): Promise<void> {
    this.abandoned.push(id);
  }
}

describe('calls in company', () => {
  let shared: SharedEngine;

  beforeEach(() => {
    shared = new SharedEngine();
    engine = shared;
  });

  const slots = parseLimit(
    { algorithm: 'concurrency', name: 'slots', maxConcurrent: 1, staleAfter: '1 min' },
    { definedBy: 'test', field: 'limit' },
  ) as Limit;

  function askAll(guarded: Guarded, tenants: readonly string[], limits: readonly Limit[] = []) {
    const said = tenants.map(() => 'waits');
    const questions = [
      { id: 'q', peek: false, limits: limits.map((limit) => ({ limit, parts: [], cost: 1 })) },
    ];
    const calls = tenants.map((id) => ({ tenant: { id }, questions }));
    void guarded.decideAll(calls, (at, result) => {
      said[at] = result instanceof StoreFailure ? result.reason : result.kind;
    });
    return said;
  }

  it('are told one by one, each when it is answered', async () => {
    const said = askAll(guard(), ['a', 'b']);
    expect(shared.companies[0]?.tenants).toEqual(['a', 'b']);
    shared.companies[0]?.tell(1, answered);
    expect(said).toEqual(['waits', 'answered']);
    shared.companies[0]?.tell(0, new StoreFailure('wrongtype'));
    expect(said).toEqual(['wrongtype', 'answered']);
  });

  it('are all late at once, and who was told before stays told', async () => {
    const said = askAll(guard(), ['a', 'b', 'c']);
    shared.companies[0]?.tell(1, answered);
    await vi.advanceTimersByTimeAsync(51);
    expect(said).toEqual(['timeout', 'answered', 'timeout']);
    shared.companies[0]?.tell(0, answered);
    expect(said[0]).toBe('timeout');
  });

  it('leave those behind who have to wait at the gate, and these wait no longer than others', async () => {
    const guarded = guard({ tenantInFlightMax: 1 });
    ask(guarded, 'flood');
    const said = askAll(guarded, ['a', 'flood', 'b']);
    expect(shared.companies[0]?.tenants).toEqual(['a', 'b']);
    shared.companies[0]?.tell(0, answered);
    shared.companies[0]?.tell(1, answered);
    expect(said).toEqual(['answered', 'waits', 'answered']);
    await vi.advanceTimersByTimeAsync(51);
    expect(said[1]).toBe('timeout');
    expect(engine.calls).toHaveLength(1);
  });

  it('give their room back when the store has answered, not before', async () => {
    const guarded = guard({ tenantInFlightMax: 1 });
    askAll(guarded, ['a', 'b']);
    await vi.advanceTimersByTimeAsync(51);
    expect(guarded.inFlight).toBe(2);
    shared.ends[0]?.();
    await settle();
    expect(guarded.inFlight).toBe(0);
  });

  it('are failures of their own: one tenant that always fails shuts nobody out', async () => {
    const guarded = guard();
    for (let turn = 0; turn < 40; turn += 1) {
      askAll(guarded, ['broken', 'a', 'b', 'c']);
      const { tell } = shared.companies[turn] as { tell: Tell };
      tell(0, new StoreFailure('wrongtype'));
      for (const at of [1, 2, 3]) tell(at, answered);
      shared.ends[turn]?.();
      await settle();
    }
    expect(shared.companies).toHaveLength(40);
  });

  it('do not go while the store is left alone', async () => {
    const states: string[] = [];
    const guarded = guard({ onBreaker: (state) => states.push(state) });
    for (let turn = 0; turn < 5; turn += 1) {
      askAll(guarded, ['a', 'b']);
      await vi.advanceTimersByTimeAsync(51);
    }
    expect(states).toEqual(['open']);
    const said = askAll(guarded, ['a', 'b']);
    await settle();
    expect(shared.companies).toHaveLength(5);
    expect(said).toContain('circuit_open');
  });

  it('give back what a call without an answer may have taken', async () => {
    askAll(guard(), ['a', 'b'], [slots]);
    shared.companies[0]?.tell(1, answered);
    await vi.advanceTimersByTimeAsync(60);
    shared.ends[0]?.();
    await vi.advanceTimersByTimeAsync(2000);
    expect(new Set(shared.abandoned)).toEqual(new Set(['a']));
  });

  it('fail where the store ends without a word of one', async () => {
    const said = askAll(guard(), ['a', 'b']);
    shared.companies[0]?.tell(0, answered);
    shared.ends[0]?.();
    await settle();
    expect(said).toEqual(['answered', 'no answer']);
  });
});
