import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WindowOptions } from '../../../limiter/src/core/limit-input.ts';
import { bound, limitOf } from '../../support/limits.ts';
import { onEveryEngine, shown, type Rig } from '../rig.ts';

type Name = 'sliding_window_log' | 'sliding_window_counter';
const windowUs = 10_000_000;

function slidingOf(algorithm: Name, more: Partial<WindowOptions> = {}) {
  return limitOf({ algorithm, limit: 5, window: '10 s', ...more });
}

const log = (more?: Partial<WindowOptions>) => slidingOf('sliding_window_log', more);
const counter = (more?: Partial<WindowOptions>) => slidingOf('sliding_window_counter', more);

const steps = fc.array(
  fc.record({
    cost: fc.integer({ min: 1, max: 5 }),
    waitUs: fc.constantFrom(0, 1, 999_999, 2_000_000, 4_999_999, 9_999_999, windowUs),
  }),
  { minLength: 10, maxLength: 30 },
);

type Taken = { readonly atUs: number; readonly cost: number };

async function take(rig: Rig, algorithm: Name, schedule: { cost: number; waitUs: number }[]) {
  const limit = slidingOf(algorithm);
  const taken: Taken[] = [];
  for (const { cost, waitUs } of schedule) {
    rig.clock.advanceUs(waitUs);
    const atUs = rig.clock.nowUs;
    if ((await rig.ask(bound(limit, cost))).allowed) taken.push({ atUs, cost });
  }
  return taken;
}

function sumOf(taken: readonly Taken[], fromUs: number, untilUs: number): number {
  return taken
    .filter(({ atUs }) => atUs >= fromUs && atUs < untilUs)
    .reduce((sum, { cost }) => sum + cost, 0);
}

onEveryEngine('sliding windows', (rig) => {
  const numRuns = () => (rig.kind === 'memory' ? 100 : 10);

  it('the log admits at most the limit in any rolling window', async () => {
    const property = fc.asyncProperty(steps, async (schedule) => {
      const taken = await take(rig.elsewhere(), 'sliding_window_log', schedule);
      for (const { atUs } of taken) {
        expect(sumOf(taken, atUs, atUs + windowUs)).toBeLessThanOrEqual(5);
      }
    });
    await fc.assert(property, { numRuns: numRuns() });
  });

  it('the log admits whatever keeps to the limit: it is exact', async () => {
    const property = fc.asyncProperty(steps, async (schedule) => {
      const fresh = rig.elsewhere();
      const taken: Taken[] = [];
      for (const { cost, waitUs } of schedule) {
        rig.clock.advanceUs(waitUs);
        const atUs = rig.clock.nowUs;
        const fits = sumOf(taken, atUs - windowUs + 1, atUs + 1) + cost <= 5;
        expect((await fresh.ask(bound(log(), cost))).allowed).toBe(fits);
        if (fits) taken.push({ atUs, cost });
      }
    });
    await fc.assert(property, { numRuns: numRuns() });
  });

  it('the counter admits at most the limit per aligned window, under twice in any', async () => {
    const property = fc.asyncProperty(steps, async (schedule) => {
      const taken = await take(rig.elsewhere(), 'sliding_window_counter', schedule);
      for (const { atUs } of taken) {
        const startUs = atUs - (atUs % windowUs);
        expect(sumOf(taken, startUs, startUs + windowUs)).toBeLessThanOrEqual(5);
        expect(sumOf(taken, atUs, atUs + windowUs)).toBeLessThan(10);
      }
    });
    await fc.assert(property, { numRuns: numRuns() });
  });

  it('the log counts two calls at the very same time as two', async () => {
    for (let call = 0; call < 5; call += 1) {
      expect((await rig.ask(bound(log()))).allowed).toBe(true);
    }
    expect((await rig.ask(bound(log()))).allowed).toBe(false);
    expect((await rig.look(bound(log()))).used).toBe(5);
  });

  it('the log lets each call leave alone, a window after it came', async () => {
    for (let call = 0; call < 5; call += 1) {
      await rig.ask(bound(log()));
      rig.clock.advanceMs(1000);
    }
    rig.clock.advanceMs(5000);
    for (let call = 0; call < 5; call += 1) {
      expect((await rig.ask(bound(log()))).allowed).toBe(true);
      expect((await rig.ask(bound(log()))).allowed).toBe(false);
      rig.clock.advanceMs(1000);
    }
  });

  it('the log stays exact over thousands of calls, as it forgets the old ones', async () => {
    const limit = log({ limit: 100, window: '100 ms' });
    for (let round = 0; round < 12; round += 1) {
      const answers = await Promise.all(Array.from({ length: 101 }, () => rig.ask(bound(limit))));
      expect(answers.filter(({ allowed }) => allowed)).toHaveLength(100);
      rig.clock.advanceUs(99_999);
      expect((await rig.ask(bound(limit))).allowed).toBe(false);
      rig.clock.advanceUs(1);
    }
  });

  it('the counter fades the window before in proportion to time', async () => {
    rig.clock.nowUs -= rig.clock.nowUs % windowUs;
    await rig.ask(bound(counter(), 5));
    rig.clock.advanceUs(windowUs + 4_000_000);
    expect((await rig.look(bound(counter()))).used).toBe(3);
    expect((await rig.ask(bound(counter(), 3))).allowed).toBe(false);
    expect((await rig.ask(bound(counter(), 2))).allowed).toBe(true);
  });

  describe('numbers that change', () => {
    it.each(['sliding_window_log', 'sliding_window_counter'] as const)(
      '%s keeps what was used',
      async (name) => {
        await rig.ask(bound(slidingOf(name), 4));
        const higher = slidingOf(name, { limit: 7 });
        expect(await rig.look(bound(higher))).toMatchObject({ used: 4, remaining: 3 });
        const lower = slidingOf(name, { limit: 2 });
        expect(await rig.look(bound(lower))).toMatchObject({ used: 4, remaining: 0 });
        expect((await rig.ask(bound(higher, 4))).allowed).toBe(false);
        expect((await rig.ask(bound(higher, 3))).allowed).toBe(true);
      },
    );

    it('the log looks back as far as the new window', async () => {
      await rig.ask(bound(log(), 5));
      rig.clock.advanceMs(4000);
      expect((await rig.ask(bound(log({ window: '4 s' }), 5))).allowed).toBe(true);
    });

    it.each(['20 ms', '3 s', '1 min', '3 h'] as const)(
      'the counter is not emptied by a window of %s',
      async (window) => {
        rig.clock.nowUs -= rig.clock.nowUs % windowUs;
        await rig.ask(bound(counter(), 5));
        rig.clock.advanceMs(5000);
        const answer = await rig.ask(bound(counter({ window })));
        expect(answer.allowed).toBe(false);
        const { retryAfterUs } = shown(answer, bound(counter({ window })));
        rig.clock.advanceUs((retryAfterUs ?? 0) - 1);
        expect((await rig.ask(bound(counter({ window })))).allowed).toBe(false);
        rig.clock.advanceUs(1);
        expect((await rig.ask(bound(counter({ window })))).allowed).toBe(true);
      },
    );

    it('the counter carries what it counted into the new window with the next charge', async () => {
      rig.clock.nowUs -= rig.clock.nowUs % 60_000_000;
      await rig.ask(bound(counter(), 4));
      const longer = counter({ window: '60 s' });
      expect((await rig.ask(bound(longer))).allowed).toBe(true);
      rig.clock.advanceMs(59_999);
      expect(await rig.look(bound(longer))).toMatchObject({ used: 5, remaining: 0 });
    });
  });
});
