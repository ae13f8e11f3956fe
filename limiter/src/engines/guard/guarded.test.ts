import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DecideCall, DecideResult } from '../../core/engine.ts';
import { CapacityFull, InvalidInput, StoreFailure } from '../../core/errors.ts';
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
