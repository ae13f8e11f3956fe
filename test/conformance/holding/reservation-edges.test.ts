import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LimitInput } from '../../../limiter/src/core/limit-input.ts';
import { bound, limitOf } from '../../support/limits.ts';
import { rated, ratedNames } from '../algorithms.ts';
import { onEveryEngine, shown, type Rig } from '../rig.ts';

const windowed: [string, LimitInput, number][] = [
  ['fixed_window', rated.fixed_window, 10_000_000],
  ['quota', rated.quota, 3_600_000_000],
];

onEveryEngine('reservations at the edges', (rig) => {
  const settle = (reservationId: string, requests: number) =>
    rig.engine.settle(rig.tenant, { reservationId, costs: { requests } });

  describe.each(windowed)('%s', (_name, input, windowUs) => {
    const limit = limitOf(input);
    const reserve = (id: string, cost: number, onExpiry: 'keep' | 'refund' = 'refund') =>
      rig.askWith({ id, reserve: { ttlMs: 7_200_000, onExpiry } }, bound(limit, cost));
    const toNextWindow = () => {
      rig.clock.nowUs += windowUs - (rig.clock.nowUs % windowUs);
    };

    it('count in the window they were made in, not in the next', async () => {
      await reserve('r', 5);
      toNextWindow();
      expect(await rig.look(bound(limit))).toMatchObject({ used: 0, remaining: 5 });
      expect((await rig.ask(bound(limit, 5))).allowed).toBe(true);
    });

    it('settled in the next window charge neither', async () => {
      await reserve('r', 3);
      toNextWindow();
      await rig.ask(bound(limit, 2));
      expect(await settle('r', 5)).toMatchObject({ kind: 'settled', debt: 0 });
      expect((await rig.look(bound(limit))).used).toBe(2);
    });

    it('kept past the window are not charged to the next', async () => {
      await rig.askWith({ id: 'r', reserve: { ttlMs: 1, onExpiry: 'keep' } }, bound(limit, 3));
      toNextWindow();
      expect((await rig.look(bound(limit))).used).toBe(0);
    });

    it('of two windows do not mix', async () => {
      await reserve('old', 4);
      toNextWindow();
      await reserve('new', 3);
      expect((await rig.look(bound(limit))).used).toBe(3);
      await settle('old', 1);
      expect((await rig.look(bound(limit))).used).toBe(3);
      await settle('new', 2);
      expect((await rig.look(bound(limit))).used).toBe(2);
    });
  });

  it('of a window whose length was changed and changed back are over with it', async () => {
    const long = limitOf(rated.fixed_window);
    const short = limitOf({ ...rated.fixed_window, window: '1 s' });
    rig.clock.nowUs += 10_000_000 - (rig.clock.nowUs % 10_000_000);
    await rig.askWith({ id: 'r', reserve: { ttlMs: 60_000, onExpiry: 'refund' } }, bound(long, 4));
    rig.clock.advanceMs(2000);
    await rig.ask(bound(short, 1));
    rig.clock.advanceMs(1000);
    expect(await rig.look(bound(long))).toMatchObject({ used: 0, remaining: 5 });
    await rig.askWith({ id: 's', reserve: { ttlMs: 60_000, onExpiry: 'refund' } }, bound(long, 3));
    await settle('r', 5);
    expect((await rig.look(bound(long))).used).toBe(3);
  });

  it('retry with open holds is an upper bound: by then the call fits', async () => {
    const startUs = rig.clock.nowUs;
    for (const name of ratedNames) {
      const property = fc.asyncProperty(
        history,
        fc.integer({ min: 1, max: 5 }),
        async (...args) => {
          rig.clock.nowUs = startUs;
          await expectUpperBound(rig.elsewhere(), rated[name], ...args);
        },
      );
      await fc.assert(property, { numRuns: rig.kind === 'memory' ? 150 : 12 });
    }
  });

  it('retry is exact where the open holds leave room for the call', async () => {
    const limit = limitOf(rated.token_bucket);
    await rig.askWith({ reserve: { ttlMs: 60_000, onExpiry: 'refund' } }, bound(limit, 2));
    await rig.ask(bound(limit, 3));
    const refused = await rig.ask(bound(limit, 2));
    expect(shown(refused, bound(limit, 2)).retryAfterUs).toBe(2_000_000);
    rig.clock.advanceUs(2_000_000 - 1);
    expect((await rig.ask(bound(limit, 2))).allowed).toBe(false);
    rig.clock.advanceUs(1);
    expect((await rig.ask(bound(limit, 2))).allowed).toBe(true);
  });

  it.each(['token_bucket', 'sliding_window_log', 'sliding_window_counter'] as const)(
    '%s: what is kept is charged when it runs out, whenever somebody looks',
    async (name) => {
      const limit = bound(limitOf(rated[name]), 5);
      await rig.askWith({ reserve: { ttlMs: 1000, onExpiry: 'keep' } }, limit);
      rig.clock.advanceMs(60_000);
      expect((await rig.ask(limit)).allowed).toBe(true);
    },
  );

  it('what is kept is given back only as far as time has not', async () => {
    const limit = bound(limitOf(rated.token_bucket), 5);
    await rig.askWith({ id: 'r', reserve: { ttlMs: 1, onExpiry: 'keep' } }, limit);
    rig.clock.advanceMs(1);
    expect((await rig.ask(limit)).allowed).toBe(false);
    rig.clock.advanceMs(5000);
    expect((await rig.ask(limit)).allowed).toBe(true);
    expect(await settle('r', 0)).toMatchObject({ kind: 'settled', late: true });
    expect((await rig.ask({ ...limit, cost: 1 })).allowed).toBe(false);
  });

  it('a settlement in time charges all of it, though the counter was set back meanwhile', async () => {
    const limit = limitOf({ ...rated.fixed_window, limit: 20, window: '1 day' });
    await rig.askWith({ id: 'r', reserve: { ttlMs: 60_000, onExpiry: 'keep' } }, bound(limit, 8));
    await rig.engine.reset(rig.tenant, [bound(limit)]);
    await rig.ask(bound(limit, 8));
    rig.clock.advanceMs(5000);
    expect(await settle('r', 1)).toMatchObject({ kind: 'settled', late: false });
    expect((await rig.look(bound(limit))).used).toBe(9);
  });

  it('what is kept counts for as long as the window that it was then charged under', async () => {
    const short = limitOf({ algorithm: 'sliding_window_log', limit: 10, window: '1 s' });
    const long = limitOf({ algorithm: 'sliding_window_log', limit: 10, window: '1 h' });
    await rig.askWith({ reserve: { ttlMs: 60_000, onExpiry: 'keep' } }, bound(short, 10));
    rig.clock.advanceMs(60_500);
    expect((await rig.ask(bound(long, 10))).allowed).toBe(false);
    rig.clock.advanceMs(60_000);
    expect((await rig.ask(bound(long, 10))).allowed).toBe(false);
  });

  it('one that holds nothing is held on too, until its time is over', async () => {
    const beat = { reservationId: 'r' };
    await rig.askWith({ id: 'r', peek: false, reserve: { ttlMs: 1000, onExpiry: 'refund' } });
    rig.clock.advanceMs(999);
    expect(await rig.engine.heartbeat(rig.tenant, beat)).toMatchObject({ kind: 'held' });
    rig.clock.advanceMs(1000);
    expect(await rig.engine.heartbeat(rig.tenant, beat)).toEqual({ kind: 'gone' });
    expect(await settle('r', 0)).toMatchObject({ kind: 'settled', late: true });
  });

  it('a settlement finds its reservation a day after the holds ended', async () => {
    const limit = limitOf({ ...rated.sliding_window_log, window: '7 days' });
    await rig.askWith({ id: 'r', reserve: { ttlMs: 1000, onExpiry: 'refund' } }, bound(limit, 2));
    rig.clock.advanceMs(86_400_000);
    expect(await settle('r', 2)).toMatchObject({ kind: 'settled', late: true });
    expect((await rig.look(bound(limit))).used).toBe(2);
  });

  it('of very many that ran out, each that is settled is late', async () => {
    const limit = limitOf({ ...rated.fixed_window, limit: 3000, window: '1 day' });
    for (let call = 0; call < 16; call += 1) {
      rig.clock.advanceMs(1);
      await rig.askAll(
        ...Array.from({ length: 75 }, (_, at) => ({
          id: `r-${call}-${at}`,
          limits: [bound(limit)],
          peek: false,
          reserve: { ttlMs: 1000, onExpiry: at % 2 === 0 ? 'keep' : 'refund' } as const,
        })),
      );
    }
    rig.clock.advanceMs(1000);
    expect(await settle('r-15-0', 2)).toMatchObject({ kind: 'settled', late: true });
    expect(await settle('r-15-1', 2)).toMatchObject({ kind: 'settled', late: true });
    expect((await rig.look(bound(limit))).used).toBe(16 * 38 - 1 + 2 * 2);
  });

  it('many that run out together are all taken off', async () => {
    const limit = limitOf({ ...rated.token_bucket, capacity: 3000 });
    const reserve = { ttlMs: 10, onExpiry: 'refund' } as const;
    for (let call = 0; call < 30; call += 1) {
      await rig.askAll(
        ...Array.from({ length: 75 }, (_, at) => ({
          id: `r-${call}-${at}`,
          limits: [bound(limit)],
          peek: false,
          reserve,
        })),
      );
    }
    expect((await rig.look(bound(limit))).used).toBe(2250);
    rig.clock.advanceMs(10);
    expect((await rig.ask(bound(limit, 3000))).allowed).toBe(true);
  });
});

type Event = {
  readonly kind: 'take' | 'hold' | 'settle';
  readonly cost: number;
  readonly ttlMs: number;
  readonly keep: boolean;
  readonly waitMs: number;
};

const history: fc.Arbitrary<Event[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('take', 'hold', 'settle'),
    cost: fc.integer({ min: 1, max: 8 }),
    ttlMs: fc.constantFrom(1, 500, 5000, 20_000),
    keep: fc.boolean(),
    waitMs: fc.constantFrom(0, 1, 700, 3000),
  }),
  { minLength: 1, maxLength: 10 },
);

/** Whatever happened, one who is refused and then waits alone gets in at the time told. */
async function expectUpperBound(
  rig: Rig,
  input: LimitInput,
  events: readonly Event[],
  cost: number,
): Promise<void> {
  const limit = limitOf(input);
  const open: string[] = [];
  for (const [at, event] of events.entries()) {
    rig.clock.advanceMs(event.waitMs);
    const fitting = bound(limit, Math.min(event.cost, 5));
    if (event.kind === 'take') await rig.ask(fitting);
    if (event.kind === 'hold') {
      const onExpiry = event.keep ? 'keep' : 'refund';
      const reserve = { ttlMs: event.ttlMs, onExpiry } as const;
      const answer = await rig.askWith({ id: `h${at}`, reserve }, fitting);
      if (answer.allowed) open.push(`h${at}`);
    }
    const settled = event.kind === 'settle' ? open.shift() : undefined;
    if (settled === undefined) continue;
    const settlement = { reservationId: settled, costs: { requests: event.cost } };
    await rig.engine.settle(rig.tenant, settlement);
  }
  const refused = await rig.ask(bound(limit, cost));
  if (refused.allowed) return;
  const { retryAfterUs } = shown(refused, bound(limit, cost));
  expect(retryAfterUs).toBeGreaterThan(0);
  rig.clock.advanceUs(retryAfterUs ?? 0);
  expect((await rig.ask(bound(limit, cost))).allowed).toBe(true);
}
