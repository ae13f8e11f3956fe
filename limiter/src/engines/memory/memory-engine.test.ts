import { afterEach, describe, expect, it, vi } from 'vitest';
import type { BoundLimit, Question } from '../../core/engine.ts';
import type { LimitInput } from '../../core/limit-input.ts';
import { parseLimit } from '../../core/parse-limit.ts';
import { MemoryEngine, type MemoryEngineOptions } from './memory-engine.ts';

const tenant = { id: 'a-tenant' };
const open: MemoryEngine[] = [];
const clock = { nowUs: 1_000_000_000_000_000 };
let asked = 0;

afterEach(async () => {
  await Promise.all(open.splice(0).map((engine) => engine.close()));
});

function engineWith(options: MemoryEngineOptions = {}): MemoryEngine {
  const engine = new MemoryEngine({ clock: () => clock.nowUs, ...options });
  open.push(engine);
  return engine;
}

function bound(input: LimitInput, subject = 'a', cost = 1): BoundLimit {
  const limit = parseLimit(input, { definedBy: 'test', field: 'limit' });
  if (!limit) throw new Error('the limit is off');
  return { limit, parts: [subject], cost };
}

function ask(engine: MemoryEngine, limits: BoundLimit[], more: Partial<Question> = {}) {
  asked += 1;
  const question = { id: `q${asked}`, limits, peek: false, ...more };
  const result = engine.decideNow({ tenant, questions: [question] });
  const answer = result.kind === 'answered' ? result.answers[0] : undefined;
  if (answer?.kind !== 'decided') throw new Error('not decided');
  return answer;
}

const window = (name: string, ms = 10_000): LimitInput => ({
  algorithm: 'fixed_window',
  name,
  limit: 5,
  window: ms,
});

describe('bounds', () => {
  it('keeps the charge of a subject that took the place of one whose time was over', () => {
    const engine = engineWith({ countersMax: 1 });
    ask(engine, [bound(window('w'), 'first')]);
    clock.nowUs += 10_000_000;
    expect(ask(engine, [bound(window('w'), 'second', 5)]).degraded).toBeNull();
    expect(ask(engine, [bound(window('w'), 'second')])).toMatchObject({
      allowed: false,
      degraded: null,
    });
  });

  it('keeps the charge of a counter that another limit of the same call swept away', () => {
    const engine = engineWith({ countersPerTenantMax: 2 });
    const short = bound(window('short', 1000), 'a', 5);
    ask(engine, [short]);
    ask(engine, [bound(window('filler', 60_000), 'b')]);
    clock.nowUs += 1_000_000;
    expect(ask(engine, [short, bound(window('new', 60_000), 'c')]).allowed).toBe(true);
    expect(ask(engine, [short]).allowed).toBe(false);
  });

  it('counts live counters, and drops those whose time is over', () => {
    vi.useFakeTimers();
    const engine = engineWith();
    for (let at = 0; at < 50; at += 1) ask(engine, [bound(window('w'), `s${at}`)]);
    expect(engine.counters).toBe(50);
    clock.nowUs += 10_000_000;
    vi.advanceTimersByTime(1000);
    expect(engine.counters).toBe(0);
    vi.useRealTimers();
  });

  it('makes no counter for peeks, refusals, inspections and impossible calls', async () => {
    const engine = engineWith();
    ask(engine, [bound(window('w'), 'a', 0)], { peek: true });
    ask(engine, [bound(window('w'), 'b', 6)]);
    await engine.inspect(tenant, [bound(window('w'), 'c')]);
    await engine.reset(tenant, [bound(window('w'), 'd')]);
    expect(engine.counters).toBe(0);
  });

  it('refuses to reserve what it could not remember, and charges nothing', async () => {
    const engine = engineWith({ recordsPerTenantMax: 1 });
    const reserve = { ttlMs: 1000, onExpiry: 'keep' } as const;
    ask(engine, [bound(window('w'))], { reserve });
    expect(() => ask(engine, [bound(window('w'))], { reserve })).toThrow('too many open');
    const { readings } = await engine.inspect(tenant, [bound(window('w'))]);
    expect(readings[0]?.held).toBe(1);
  });

  it('refunds nothing that it could not remember as refunded', async () => {
    const engine = engineWith({ recordsPerTenantMax: 1 });
    const charged = ask(engine, [bound(window('w'), 'a', 4)]);
    const refund = (id: string) =>
      engine.refund(tenant, { id, chargedAtUs: charged.nowUs, limits: [bound(window('w'))] });
    expect(await refund('one')).toBe(true);
    await expect(refund('two')).rejects.toThrow('too many refunds');
    const { readings } = await engine.inspect(tenant, [bound(window('w'))]);
    expect(readings[0]?.state).toMatchObject({ used: 3 });
  });
});

describe('seeds', () => {
  const month: LimitInput = { algorithm: 'quota', name: 'q', limit: 5, period: 'month' };

  function seedOf(engine: MemoryEngine, subject: string, used = 4) {
    const startUs = clock.nowUs - 1;
    const period = { startUs, endUs: clock.nowUs + 10_000_000 };
    return { counter: engine.counterName(bound(month, subject)), period, used };
  }

  it('make no counter before they are looked at', async () => {
    const engine = engineWith();
    await engine.seed(tenant, [seedOf(engine, 'a'), seedOf(engine, 'b')]);
    expect(engine.counters).toBe(0);
    expect(ask(engine, [bound(month, 'a', 2)]).allowed).toBe(false);
    expect(ask(engine, [bound(month, 'a', 1)]).allowed).toBe(true);
    expect(engine.counters).toBe(1);
  });

  it('are dropped when their period is over', async () => {
    vi.useFakeTimers();
    const engine = engineWith();
    await engine.seed(tenant, [seedOf(engine, 'a')]);
    expect(engine.dump().seeds).toHaveLength(1);
    clock.nowUs += 10_000_000;
    vi.advanceTimersByTime(1000);
    expect(engine.dump().seeds).toEqual([]);
    expect(ask(engine, [bound(month, 'a', 5)]).allowed).toBe(true);
    vi.useRealTimers();
  });

  it('are bounded, and one too many fails rather than being forgotten', async () => {
    const engine = engineWith({ recordsPerTenantMax: 2 });
    const seeds = ['a', 'b', 'c'].map((subject) => seedOf(engine, subject));
    await expect(engine.seed(tenant, seeds)).rejects.toThrow('too many seeds');
    expect(ask(engine, [bound(month, 'a', 2)]).allowed).toBe(false);
  });

  it('are named under the secret', () => {
    const [one, two, none] = [{ secret: 'one' }, { secret: 'two' }, {}].map((options) =>
      engineWith(options).counterName(bound(month)),
    );
    expect(new Set([one, two, none]).size).toBe(3);
    expect(engineWith({ secret: 'one' }).counterName(bound(month))).toBe(one);
  });
});

describe('the sweeper', () => {
  it('is one timer that keeps no process alive, and stops with the engine', async () => {
    const started = vi.spyOn(globalThis, 'setInterval');
    const stopped = vi.spyOn(globalThis, 'clearInterval');
    const engine = engineWith();
    for (let at = 0; at < 10; at += 1) ask(engine, [bound(window('w'), `s${at}`)]);
    expect(started).toHaveBeenCalledTimes(1);
    const timer = started.mock.results[0]?.value as NodeJS.Timeout;
    expect(timer.hasRef()).toBe(false);
    await engine.close();
    expect(stopped).toHaveBeenCalledWith(timer);
    vi.restoreAllMocks();
  });
});
